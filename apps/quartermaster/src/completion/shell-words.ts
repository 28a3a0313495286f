/**
 * The words of a command line as a shell splits them, without those quotes and backslashes that it would take away. The last is the one that is being
 * typed: empty after a space.
 */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined = '';
  for (const [piece, space, escaped, single, double] of line.matchAll(/(\s+)|\\(.)|'([^']*)'?|"((?:\\.|[^"\\])*)"?|[^\s\\'"]+|\\$/gs)) {
    if (space !== undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = `${word ?? ''}${escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? piece}`;
    }
  }
  return [...words, word ?? ''];
}
