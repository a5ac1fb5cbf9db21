// Whether bytes begin with a HEAD request, even one that no parser accepts: its answer has no body.

/** Node's parser skips empty lines before a request. */
const START = /^(?:\r\n)*HEAD /;
/** Enough for the method and some empty lines. */
const START_BYTES = 32;

export function beginsWithHead(bytes: Buffer): boolean {
  return START.test(bytes.toString('latin1', 0, START_BYTES));
}
