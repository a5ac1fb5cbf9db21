// The format of a store, and the names that contain it. Functions and log columns have other names in
// another format. So a server never calls or reads one whose meaning it does not know.

export const FORMAT = 4;

/** The commit functions. */
export const FUNCTIONS: Readonly<Record<'begin' | 'batch' | 'regions', string>> = {
  begin: `begin_commit_${FORMAT}`,
  batch: `commit_batch_${FORMAT}`,
  regions: `commit_regions_${FORMAT}`,
};
