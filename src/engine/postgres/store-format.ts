// The format of a store, and the names that carry it. A server never calls a function, or reads a
// column of the log, that means something else than it knows: the names of another format are other
// names.

export const FORMAT = 4;

/** The functions that commit. */
export const FUNCTIONS: Readonly<Record<'begin' | 'batch' | 'regions', string>> = {
  begin: `begin_commit_${FORMAT}`,
  batch: `commit_batch_${FORMAT}`,
  regions: `commit_regions_${FORMAT}`,
};
