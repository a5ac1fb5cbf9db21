// Packages that format numbers read `navigator.language`. A browser that was started without a locale
// has a value there that is no language tag, such as `en-US@posix`, and formatting fails.

/** Replaces an invalid language by the one that the browser formats with. */
export function repairLanguage(): void {
  try {
    new Intl.Locale(navigator.language);
  } catch {
    const { locale } = new Intl.NumberFormat().resolvedOptions();
    Object.defineProperty(navigator, 'language', { value: locale });
  }
}
