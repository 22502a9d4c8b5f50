"""The words the controlled corpus is made of. Eponyms, drugs and genes are invented."""

from typing import NamedTuple


class Site(NamedTuple):
    adjective: str
    noun: str
    root: str


class System(NamedTuple):
    """An organ system: the type of its concepts, and the cues that no other system shares."""

    name: str
    organs: str
    sites: tuple[Site, ...]
    findings: tuple[str, ...]
    tests: tuple[str, ...]
    drugs: tuple[str, ...]
    genes: tuple[str, ...]


class Process(NamedTuple):
    """What happens to a tissue; ``compound`` when it joins with a root, as in hepatofibrosis."""

    name: str
    lay: str
    gloss: str
    compound: bool


class Modifier(NamedTuple):
    """What tells a disease from its family: written before the family name, or after it (a type)."""

    before: str
    after: str
    variant: str
    gloss: str


def _system(name: str, organs: str, sites: str, findings: str, tests: str, drugs: str, genes: str) -> System:
    parts = [Site(*site.split("/")) for site in sites.split(", ")]
    cues = (tuple(words.split(", ")) for words in (findings, tests, drugs, genes))
    return System(name, organs, tuple(parts), *cues)


SYSTEMS = (
    _system(
        "hepatobiliary", "liver and bile ducts",
        "hepatic/liver/hepato, biliary/bile duct/cholangio, portal/portal tract/porto",
        "jaundice, abdominal swelling, itching after meals, dark urine",
        "serum bilirubin, transaminase activity, elastography stiffness",
        "brelumide, ostivarin, colafenone", "BLR7, HPX3, TRSN2",
    ),
    _system(
        "urinary", "kidneys and ureters",
        "renal/kidney/nephro, glomerular/kidney filter/glomerulo, ureteric/ureter/uretero",
        "foamy urine, flank pain, ankle swelling, passing little urine",
        "serum creatinine, urinary albumin, filtration rate",
        "nelvaprost, quiradipine, ostafurol", "NFRX1, PODL4, UMR6",
    ),
    _system(
        "cardiovascular", "heart and great vessels",
        "cardiac/heart/cardio, pericardial/heart lining/pericardio, aortic/aorta/aorto",
        "palpitations, chest tightness, fainting on effort, a new murmur",
        "ejection fraction, troponin concentration, QT duration",
        "cordaxamil, veltinolol, aspratan", "CRDL5, MYOV2, TNQ8",
    ),
    _system(
        "respiratory", "lungs and airways",
        "pulmonary/lung/pneumo, bronchial/airway/broncho, pleural/lung lining/pleuro",
        "breathlessness, dry cough, wheezing, blood-stained sputum",
        "forced vital capacity, oxygen saturation, carbon monoxide transfer",
        "pneverol, ralitropium, sulfenidone", "ALVN3, SPRC9, BRQ1",
    ),
    _system(
        "neurological", "brain and spinal cord",
        "cerebral/brain/encephalo, cerebellar/hindbrain/cerebello, spinal/spinal cord/myelo",
        "seizures, an unsteady gait, slurred speech, memory loss",
        "nerve conduction velocity, electroencephalogram rhythm, neurofilament concentration",
        "zonretine, lumetigen, caprastat", "NRDX2, AXL14, SYNQ5",
    ),
    _system(
        "dermatological", "skin, hair and nails",
        "cutaneous/skin/dermato, follicular/hair follicle/folliculo, ungual/nail/onycho",
        "a scaling rash, blistering, patchy hair loss, thickened palms",
        "transepidermal water loss, patch-test reactivity, dermoscopic vessel density",
        "dermatrex, velicalcin, tarozoline", "KRTX8, FLGN4, MLQ3",
    ),
    _system(
        "digestive", "stomach and bowel",
        "gastric/stomach/gastro, colonic/colon/colo, oesophageal/oesophagus/oesophago",
        "watery diarrhoea, early satiety, heartburn, difficulty swallowing",
        "faecal calprotectin, breath hydrogen excretion, acid exposure time",
        "pantiglide, mesolavin, lotraxide", "MUCX6, VLN2, GSTR9",
    ),
    _system(
        "endocrine", "thyroid, adrenal and pituitary glands",
        "thyroid/thyroid gland/thyro, adrenal/adrenal gland/adreno, pituitary/pituitary gland/hypophyso",
        "cold intolerance, salt craving, delayed puberty, unexplained weight gain",
        "serum thyrotropin, morning cortisol, growth hormone response",
        "levotarine, cortivexol, somadrelin", "THYX2, ADRQ7, PTL5",
    ),
    _system(
        "ocular", "eyes",
        "retinal/retina/retino, corneal/cornea/kerato, uveal/uveal tract/uveo",
        "blurred vision, night blindness, glare, painful red eyes",
        "visual acuity, intraocular pressure, electroretinogram amplitude",
        "ranivexan, lutaprost, ocumidol", "RTNX1, OPSL3, CRNQ4",
    ),
    _system(
        "musculoskeletal", "muscles, bones and joints",
        "muscular/muscle/myo, osseous/bone/osteo, articular/joint/arthro",
        "morning stiffness, grip weakness, bowed legs, pain on walking",
        "creatine kinase activity, bone mineral density, six-minute walk distance",
        "myotralone, osteprisan, artivumab", "COLX5, MYHQ2, SARCL6",
    ),
)  # fmt: skip

PROCESSES = (
    Process("fibrosis", "scarring", "scar tissue replaces normal tissue", True),
    Process("atrophy", "wasting", "tissue is gradually lost", False),
    Process("sclerosis", "hardening", "tissue becomes dense and stiff", True),
    Process("dysplasia", "malformation", "tissue is built in a disordered way", True),
    Process("amyloidosis", "amyloid build-up", "misfolded protein is laid down between cells", False),
    Process("degeneration", "breakdown", "cells lose their structure before they die", False),
    Process("calcification", "calcium build-up", "calcium salts are laid down in soft tissue", True),
    Process("ischaemia", "underperfusion", "blood flow falls short of demand", False),
    Process("necrosis", "tissue death", "cells die before they can be replaced", True),
    Process("hyperplasia", "overgrowth", "cells multiply beyond need", False),
    Process("granulomatosis", "granuloma formation", "nodules of immune cells appear", False),
    Process("haemorrhage", "bleeding", "blood escapes from small vessels", False),
    Process("oedema", "fluid build-up", "fluid collects between cells", False),
    Process("vasculitis", "vessel inflammation", "the walls of small vessels are inflamed", False),
)

MODIFIERS = (
    Modifier("congenital", "", "inborn", "It is present at birth"),
    Modifier("familial", "", "hereditary", "It runs in families"),
    Modifier("juvenile", "", "childhood-onset", "It begins before the age of 16 years"),
    Modifier("autoimmune", "", "antibody-mediated", "It is driven by autoantibodies"),
    Modifier("progressive", "", "steadily worsening", "It advances over years"),
    Modifier("", "type 1", "of the first type", "The first of its forms to be described"),
    Modifier("", "type 2", "of the second type", "It is milder than the first form"),
    Modifier("idiopathic", "", "cryptogenic", "No cause is known"),
    Modifier("X-linked", "", "sex-linked", "Males are affected more severely"),
    Modifier("recurrent", "", "relapsing", "Episodes are separated by full recovery"),
    Modifier("senile", "", "age-related", "It begins after the age of 60 years"),
    Modifier("postinfectious", "", "infection-related", "It follows a recent infection"),
    Modifier("focal", "", "localised", "It is confined to a single area"),
    Modifier("diffuse", "", "widespread", "Most of the organ is involved"),
    Modifier("neonatal", "", "newborn", "It appears in the first month of life"),
    Modifier("toxic", "", "exposure-related", "It follows exposure to a solvent or a metal"),
)

EPONYMS = (
    "Marlow", "Brandtner", "Oskarvik", "Talbrook", "Venhuizen", "Carrabine", "Dostelmann", "Ishimori",
    "Quellner", "Abernoth", "Pellaway", "Strandholt", "Vasquento", "Morvenna", "Kettleworth", "Lindqvarn",
    "Rosmarchi", "Okonweze", "Thibaudet", "Halvorby", "Zemlinov", "Pirandetti", "Castlemoor", "Yamagashi",
    "Fenwright", "Dubrovnek", "Alcazarra", "Nightingarth", "Hollenstad", "Sorvinen",
)  # fmt: skip

PLACES = ("Norwick", "Aldersee", "Port Kestrel", "San Orvado", "Lake Tamsin", "Vestmark")
