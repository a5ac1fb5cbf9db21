// The key of shortcuts: `⌘` on a Mac, `Ctrl` elsewhere.

export const MODIFIER_KEY: string = /Mac|iP/u.test(navigator.platform) ? '⌘' : 'Ctrl';
