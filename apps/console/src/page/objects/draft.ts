/** What a form edits: the object as JSON, by the names of the contract. */
export type Draft = Readonly<Record<string, unknown>>;

/** The value at `spec.bmc.url`; undefined where there is none. Keys with dots of their own are given as a list. */
export function draftValue(draft: Draft, path: DraftPath): unknown {
  let value: unknown = draft;
  for (const key of keysOf(path)) value = isDraft(value) ? value[key] : undefined;
  return value;
}

/** A new draft with another value there; undefined takes it out. */
export function withDraftValue(draft: Draft, path: DraftPath, value: unknown): Draft {
  const [key = '', ...rest] = keysOf(path);
  const { [key]: before, ...others } = draft;
  if (rest.length > 0) return { ...others, [key]: withDraftValue(isDraft(before) ? before : {}, rest, value) };
  return value === undefined ? others : { ...others, [key]: value };
}

/** What an object has at the paths. */
export function draftOf(object: Draft, paths: readonly DraftPath[]): Draft {
  return paths.reduce<Draft>((draft, path) => {
    const value = draftValue(object, path);
    return value === undefined ? draft : withDraftValue(draft, path, value);
  }, {});
}

export type DraftPath = string | readonly string[];

const keysOf = (path: DraftPath): readonly string[] => (typeof path === 'string' ? path.split('.') : path);

const isDraft = (value: unknown): value is Draft => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a form would send the same for both: nothing, empty and default are one. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(plain(a)) === JSON.stringify(plain(b));
}

function plain(value: unknown): unknown {
  if (value === '' || value === 0 || value === false || value === null) return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => plain(item) ?? null);
  if (!isDraft(value)) return typeof value === 'string' && value.endsWith('_UNSPECIFIED') ? undefined : value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, plain(inner)] as const)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** A path of an update mask: keys with characters of their own meaning are in backquotes. */
export function maskPath(path: DraftPath): string {
  return keysOf(path)
    .map((key) => (/^[\w/-]+$/.test(key) ? key : `\`${key.replaceAll('`', '``')}\``))
    .join('.');
}

/** A field as the API names it, in one spelling: `sets['a'].size`, `sets.a.size` and ``sets.`a`.size`` are the same place. */
export function fieldPath(field: string): string {
  const keys = field.matchAll(/`((?:[^`]|``)*)`|\['((?:[^'\\]|\\.)*)'\]|\[(\d+)\]|([^.[`]+)/g);
  return maskPath(
    [...keys].map(
      ([, quoted, bracketed, index, bare]) => quoted?.replaceAll('``', '`') ?? bracketed?.replace(/\\(.)/g, '$1') ?? index ?? bare ?? '',
    ),
  );
}
