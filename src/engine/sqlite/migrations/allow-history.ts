// Format 2 to 3: the tables stay. Definitions may state history and times to live, and the change
// log entries that expired, which servers of format 2 would neither keep to nor understand.

export function allowHistory(): void {}
