/** The words of a command as a person types it: spaces separate them, quotes keep spaces together. */
export const commandWords = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
