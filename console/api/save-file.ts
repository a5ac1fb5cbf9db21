// Hands a file to the browser, which saves it where the person keeps downloads.

/** Long enough for the browser to begin; from then on it keeps the content itself. */
const KEPT_MS = 60_000;

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
