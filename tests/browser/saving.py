"""Files that a click saves."""


def saved(page, click):
    """What a click saves. Chromium drops more than ten downloads a second, so the next one waits."""
    with page.expect_download() as download:
        click()
    page.wait_for_timeout(150)
    return download.value
