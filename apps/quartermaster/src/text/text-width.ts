import { createRequire } from 'node:module';
import { stripVTControlCharacters } from 'node:util';

const require = createRequire(import.meta.url);

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[ -~]*$/.test(plain)) return plain.length;
  // To load it takes as long as all the rest of a command, and most texts do not need it.
  const { default: stringWidth } = require('string-width') as typeof import('string-width');
  return stringWidth(plain);
}
