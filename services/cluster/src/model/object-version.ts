interface Version {
  readonly resourceVersion: string;
}

/** Versions of one server are whole numbers that grow, over all objects of a kind. What is none is taken as it comes. */
export function isOlder(a: Version, b: Version): boolean {
  const [one, other] = [a, b].map(({ resourceVersion }) => (/^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : undefined));
  return one !== undefined && other !== undefined && one < other;
}
