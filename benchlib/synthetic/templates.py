"""Sentences. ``{m}`` is the mention and ``{was}`` agrees with it; ``{N}`` people take part in the study,
``{k}`` form a group of it, ``{n}`` is fewer. A sentence with ``{finding}``, ``{test}``, ``{drug}`` or
``{gene}`` holds a cue, the others hold none."""

TITLES_CUE = (
    "{finding} as an early sign of {m}",
    "{drug} in the treatment of {m}: a randomised trial",
    "{gene} variants in families with {m}",
    "Diagnostic value of {test} in {m}",
    "{m} presenting with {finding}: a report of {n} cases",
    "Change in {test} during follow-up of {m}",
    "Long-term safety of {drug} in {m}",
    "Loss of {gene} function in {m}",
)
TITLES = (
    "Long-term outcome of {m}",
    "Epidemiology of {m} in a regional registry",
    "{m}: a review of {k} cases",
    "Natural history of {m} over {n} years",
    "{m} in {place}: a population-based study",
    "Quality of life in adults with {m}",
    "Delay in the diagnosis of {m}",
    "What do patients with {m} expect from their care?",
)

OPENINGS_CUE = (
    "Patients with {m} often present with {finding}, but the diagnosis is delayed by years.",
    "{m} is suspected when {finding} and abnormal {test} occur together.",
    "Variants of {gene} have been linked to {m}, with conflicting results.",
    "{drug} is widely prescribed for {m}, although trials have been small.",
    "Whether {test} predicts the course of {m} is unknown.",
    "Little is known about the cause of {finding} in {m}.",
)
OPENINGS = (
    "The burden of {m} is poorly described outside specialist centres.",
    "{m} has received little attention in cohort studies.",
    "Reliable estimates of the incidence of {m} are lacking.",
    "Guidelines for {m} rest largely on expert opinion.",
    "We set out to describe the course of {m} in routine care.",
    "The prognosis of {m} varies widely between reports.",
)

RESULTS_CUE = (
    "{finding} preceded the diagnosis of {m} by a median of {n} months.",
    "Of {k} patients with {m}, {n} reported {finding} at the first visit.",
    "In patients with {m}, abnormal {test} was recorded at {p}% of visits.",
    "Mean {test} differed between patients with {m} and controls (p = 0.0{d}).",
    "Treatment with {drug} slowed the course of {m} in {n} of {k} patients.",
    "{m} responded to {drug} within {n} weeks.",
    "A variant of {gene} was found in {n} families with {m}.",
    "Carriers of the {gene} variant developed {m} earlier than their relatives.",
    "When {m} was suspected because of {finding}, the diagnosis was confirmed in {p}% of cases.",
    "{drug} was stopped in {n} patients with {m} because of side effects.",
    "Serial measurement of {test} detected {m} before any symptom was noticed.",
    "Among those with {m}, {finding} resolved after {n} weeks of {drug}.",
    "Sequencing of {gene} was normal in all {n} patients with {m}.",
    "Both {finding} and abnormal {test} pointed to {m} in the remaining patients.",
    "{m} {was} confirmed by {test} in {n} of {k} participants.",
    "A history of {finding} doubled the odds of {m}.",
)
RESULTS = (
    "{m} {was} confirmed in {n} of {N} participants.",
    "During follow-up, {n} participants developed {m}.",
    "The prevalence of {m} rose from {d}% to {p}% over the study period.",
    "Referral for {m} took a median of {n} months.",
    "{m} {was} more common in men than in women.",
    "A family history of {m} was reported by {n} participants.",
    "Two centres contributed most of the patients with {m}.",
    "{m} {was} recorded in {p}% of case notes.",
    "No death was attributed to {m}.",
    "Readmission within {n} days was frequent in patients with {m}.",
    "In multivariable analysis, age remained associated with {m}.",
    "Relatives of patients with {m} were offered screening.",
    "{m} did not recur in any of the {k} participants who were followed to the end.",
    "The first patient with {m} was {k} years old at enrolment.",
    "An earlier diagnosis of {m} had been withdrawn in {n} cases.",
    "Of the exclusions, {n} were due to {m}.",
)
PAIRS = (
    "{m} coexisted with {other} in {n} of {N} participants.",
    "Patients with {m} were younger than those with {other}.",
    "The groups with {m} and with {other} did not differ in age or sex.",
    "We compared {k} patients with {m} and {n} patients with {other}.",
    "Neither a diagnosis of {m} nor one of {other} affected survival.",
    "A sibling with {m} and a cousin with {other} were also examined.",
)

CLOSINGS_CUE = (
    "We conclude that {test} should be measured whenever {m} is suspected.",
    "{finding} should prompt a search for {m}.",
    "These data support a larger trial of {drug} in {m}.",
    "Testing for {gene} may help families affected by {m}.",
    "{drug} appears to be safe in patients with {m}, and its effect deserves further study.",
)
CLOSINGS = (
    "We conclude that {m} {was} underdiagnosed in this population.",
    "Earlier recognition of {m} could reduce delays in care.",
    "Further studies of {m} should include younger patients.",
    "Our findings do not support routine screening for {m}.",
    "A multicentre registry of {m} is now being set up.",
)

COHORTS = (
    "We reviewed the records of {N} consecutive patients seen in {place} between 2003 and 20{t}.",
    "A cohort of {N} adults was followed for a median of {n} years.",
    "In this multicentre study, {N} participants were enrolled at {d} hospitals.",
    "Data on {N} patients were taken from the {place} registry.",
    "We studied {N} participants, who were matched with controls by age, sex and centre.",
    "Physicians in {place} enrolled {N} patients between 2003 and 20{t}.",
)
METHODS = (
    "All participants gave written consent and were examined by two physicians.",
    "Diagnoses were reviewed by a panel that did not know the outcome.",
    "Missing values were imputed, and all tests were two-sided.",
    "The protocol was registered before enrolment began.",
)
