import texts from '../generated/descriptions.json' with { type: 'json' };

const descriptions: ReadonlyMap<string, string> = new Map(Object.entries(texts));

/**
 * What the contract says of a message, field, enum, value, service or method, by its full name: `private.v1.HostSpec.rack`. Undefined where it
 * says nothing.
 */
export function descriptionOf(fullName: string): string | undefined {
  return descriptions.get(fullName);
}
