// Saves a file as a download of the browser.

/** Long enough for the browser to start the download, after which it holds the content itself. */
const KEPT_MS = 60_000;

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
