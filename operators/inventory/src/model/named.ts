const maxNamed = 3;

/** The first few of many, and how many more there are. */
export function named(texts: readonly string[], separator = ', '): string {
  const more = texts.length - maxNamed;
  return more > 0 ? `${texts.slice(0, maxNamed).join(separator)} and ${more} more` : texts.join(separator);
}
