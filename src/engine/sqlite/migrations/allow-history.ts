// Format 2 to 3: the tables stay the same. Definitions may now state history and times to live, and
// the change log may record expired entries. Servers of format 2 would ignore or misread them.

export function allowHistory(): void {}
