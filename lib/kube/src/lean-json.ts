/*
 * A quarter to a half of an object's JSON is `metadata.managedFields`, which no cache keeps. It is cut out of the bytes before they
 * are parsed, with the two native searches that this takes; parsing it would cost several times as much.
 *
 * Inside a JSON string every quote is escaped, so the bytes of the key stand nowhere but at a key. The array holds at least one object
 * and no other array, so it ends at the first `}]` outside of a string. If that pair should ever stand inside of one, what is left is no JSON, and the
 * whole is parsed instead.
 */

const key = Buffer.from('"managedFields":[{');
const end = Buffer.from('}]');
const comma = 0x2c;

/** Parses an object, a list or a watch event without the managedFields in it. */
export function parseLean(json: Buffer): unknown {
  const first = json.indexOf(key);
  if (first < 0) return JSON.parse(json.toString('utf8'));
  try {
    return JSON.parse(withoutManagedFields(json, first));
  } catch {
    return JSON.parse(json.toString('utf8'));
  }
}

function withoutManagedFields(json: Buffer, first: number): string {
  const kept: string[] = [];
  let from = 0;
  for (let start = first; start >= 0; start = json.indexOf(key, from)) {
    const close = json.indexOf(end, start);
    if (close < 0) break;
    const isAfterAnother = json[start - 1] === comma;
    kept.push(json.toString('utf8', from, isAfterAnother ? start - 1 : start));
    from = close + end.length;
    if (!isAfterAnother && json[from] === comma) from += 1;
  }
  kept.push(json.toString('utf8', from));
  return kept.join('');
}

/** What a list says before its items. */
const listHead = /^\{"kind":"\w+","apiVersion":"[\w./-]+","metadata":(\{[^{}]*\}),"items":/;

/**
 * The token of the next page, read off the beginning of a list before the rest is parsed; undefined when there is none or when it
 * stands elsewhere, as in lists of custom resources.
 */
export function peekContinue(list: Buffer): string | undefined {
  const metadata = listHead.exec(list.toString('latin1', 0, 4_096))?.[1];
  if (metadata === undefined) return undefined;
  const { continue: token } = JSON.parse(metadata) as { continue?: string };
  return token === '' ? undefined : token;
}
