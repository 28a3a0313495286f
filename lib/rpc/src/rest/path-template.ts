import { StatusError } from '@quartermaster/kernel';

/** A path of a google.api.http rule, ready to match. */
export interface PathTemplate {
  readonly text: string;
  /** The values of its variables (field path -> text), or undefined when the path is another. */
  match(path: string): ReadonlyMap<string, string> | undefined;
}

/**
 * Understands `/v1/hosts/{id}`, `{name=projects/*}`, `{path=**}` and a verb at the end (`/v1/hosts/{id}:reboot`). A variable without a
 * pattern is one segment. Percent-encoded characters are decoded in values, segment by segment.
 */
export function pathTemplate(text: string): PathTemplate {
  const fields: string[] = [];
  const escaped = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const wildcards = (pattern: string): string =>
    pattern
      .split('/')
      .map((segment) => (segment === '**' ? '.+' : segment === '*' ? '[^/]+' : escaped(segment)))
      .join('/');
  const source = text.replace(/\{([^=}]+)(?:=([^}]+))?\}|([^{]+)/g, (_all, field?: string, pattern?: string, literal?: string) => {
    if (literal !== undefined) return wildcards(literal);
    fields.push(field ?? '');
    return `(${wildcards(pattern ?? '*')})`;
  });
  const expression = new RegExp(`^${source}$`);
  return {
    text,
    match: (path) => {
      const found = expression.exec(path);
      return found === null ? undefined : new Map(fields.map((field, index) => [field, decodeSegments(found[index + 1] ?? '')]));
    },
  };
}

function decodeSegments(text: string): string {
  try {
    return text.split('/').map(decodeURIComponent).join('/');
  } catch (cause) {
    throw new StatusError('invalid_argument', `path has invalid percent-encoding: "${text}"`, { cause });
  }
}
