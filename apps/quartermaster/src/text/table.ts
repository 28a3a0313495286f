import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';

/** Columns as wide as their widest cell, two spaces between them, and no spaces at the ends of lines. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => all.reduce((widest, row) => Math.max(widest, textWidth(row[column] ?? '')), 0));
  const lines = all.map((row) =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        return cell + ' '.repeat(width - textWidth(cell));
      })
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** `-` for none: a list that is known to be empty. */
export const listText = (items: readonly string[], separator = ', '): string => (items.length === 0 ? '-' : items.join(separator));

/** Every line that has something in it, two columns to the right. */
export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

const require = createRequire(import.meta.url);

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  // To load it takes as long as all the rest of a command, and most texts do not need it.
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(plain);
}
