"""The sentences of fixes, one file per subject: what a change does, and why there is none."""
