// Regions as queries name them.

/** `/orders`; `/'my.region'`, because a dot ends a name without quotes. */
export function regionPath(name: string): string {
  return name.includes('.') ? `/'${name}'` : `/${name}`;
}
