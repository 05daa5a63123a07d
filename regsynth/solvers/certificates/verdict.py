"""The one entry point of checking: pick the checker by the kind of certificate."""

from __future__ import annotations

from regsynth.solvers.certificates import check_enumerative, check_sat
from regsynth.solvers.certificates.folder import Claim, Rejected, read


def check_folder(folder: str) -> Claim:
    """Check a certificate.

    Returns
    -------
    Claim
        What is now proven.

    Raises
    ------
    InputError
        No such folder, or the package that checks proofs is missing.
    Rejected
        The claim does not follow from the certificate.
    """
    claim = read(folder)
    if claim.kind == "sat":
        check_sat.check(claim, folder)
    elif claim.kind == "enumerative":
        check_enumerative.check(claim)
    else:
        raise Rejected(f"kind {claim.kind!r} is unknown")
    return claim
