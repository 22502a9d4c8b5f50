"""BioCoM: vectors of names in their sentences, and the vote of the nearest."""
