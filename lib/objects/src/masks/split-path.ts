import { maskError, shown } from './mask-error.ts';

/** One piece of a mask path as it was written. Quoted pieces can only be keys, and keep their blanks and dots. */
export interface PathSegment {
  readonly text: string;
  readonly isQuoted: boolean;
}

/**
 * Splits a path at its dots. A key that holds a dot is written in backquotes (a backquote inside is doubled) or as
 * `["..."]`; a list index also as `[0]`. Blanks around a segment and empty segments do not count.
 */
export function splitPath(path: string): PathSegment[] {
  const segments: PathSegment[] = [];
  let bare = '';
  const endBare = () => {
    const text = bare.trim();
    if (text !== '') segments.push({ text, isQuoted: false });
    bare = '';
  };
  for (let at = 0; at < path.length; ) {
    const char = path[at] ?? '';
    if (char === '.') {
      endBare();
      at += 1;
    } else if (char === '`' && bare.trim() === '') {
      const quoted = backquoted(path, at);
      bare = '';
      segments.push({ text: quoted.text, isQuoted: true });
      at = afterQuoted(path, quoted.end);
    } else if (char === '[') {
      endBare();
      const bracket = bracketed(path, at);
      segments.push(bracket.segment);
      at = afterQuoted(path, bracket.end);
    } else {
      bare += char;
      at += 1;
    }
  }
  endBare();
  return segments;
}

function backquoted(path: string, start: number): { readonly text: string; readonly end: number } {
  let text = '';
  for (let at = start + 1; at < path.length; at += 1) {
    if (path[at] !== '`') {
      text += path[at];
      continue;
    }
    if (path[at + 1] !== '`') return { text, end: at + 1 };
    text += '`';
    at += 1;
  }
  throw maskError(path, 'a backquote is not closed');
}

const bracketPattern = /\[\s*(?:(\d+)|("(?:[^"\\]|\\.)*")|'([^'\\]*)')\s*\]/y;

function bracketed(path: string, start: number): { readonly segment: PathSegment; readonly end: number } {
  bracketPattern.lastIndex = start;
  const match = bracketPattern.exec(path);
  if (match === null) throw maskError(path, 'a bracket must hold an index or a quoted key, as in [0] or ["key"]');
  const [whole, index, double, single] = match;
  const end = start + whole.length;
  if (index !== undefined) return { segment: { text: index, isQuoted: false }, end };
  return { segment: { text: single ?? unescaped(path, double ?? '""'), isQuoted: true }, end };
}

function unescaped(path: string, literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch (cause) {
    throw maskError(path, `${shown(literal)} is not a string`, cause);
  }
}

/** Where the next segment begins. A quoted piece ends its segment: only a dot, a bracket or the end may follow. */
function afterQuoted(path: string, end: number): number {
  let at = end;
  while (path[at] === ' ') at += 1;
  const next = path[at];
  if (next === undefined || next === '.' || next === '[') return at;
  throw maskError(path, `after a quoted key comes a dot or the end, not "${next}"`);
}
