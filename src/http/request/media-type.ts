// The media type of a body.

const UTF8_PARAMETER = /^\s*charset\s*=\s*"?utf-?8"?\s*$/i;

/** Type and subtype in lower case; empty when there is none, or its charset is not UTF-8. */
export function mediaTypeOf(header: string | undefined): string {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const isUtf8 = parameters.every((each) => each.trim() === '' || UTF8_PARAMETER.test(each));
  return isUtf8 ? type.trim().toLowerCase() : '';
}
