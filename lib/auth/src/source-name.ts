/** Names of inventory sources: the same for those who speak for one and for what they say. */
const sourceName = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/;

export const sourceNameRule = 'must have 1 to 63 lower-case letters, digits, "-", "_" and ".", beginning and ending with a letter or digit';

export function isSourceName(text: string): boolean {
  return sourceName.test(text);
}
