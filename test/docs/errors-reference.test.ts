import { readFileSync } from 'node:fs';
import { statusCodes } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const page = read('docs/reference/errors.md');

/** The rows of the table under a heading, each cell without its code marks. */
function rowsUnder(heading: string): string[][] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** kind -> code, as the library has it. The compiler makes sure that this table holds every kind. */
function codesOfKinds(): Map<string, string> {
  const table = /^const codes: Readonly<Record<KubeFailureKind, StatusCode>> = \{([^}]*)\}/m.exec(
    read('lib/kube/src/transport/failure-from-answer.ts'),
  );
  const entries = (table?.[1] ?? '').matchAll(/^\s*'?([a-z-]+)'?: '([a-z_]+)',$/gm);
  return new Map([...entries].map(([, kind = '', code = '']) => [kind, code]));
}

describe('the reference of errors', () => {
  it('lists exactly the codes there are, in their order', () => {
    expect(rowsUnder('Codes').map(([code]) => code)).toEqual([...statusCodes]);
  });

  it('says of every code what it means and what to do', () => {
    for (const [code, meaning = '', advice = ''] of rowsUnder('Codes')) {
      expect({ code, hasMeaning: meaning.endsWith('.'), hasAdvice: advice.endsWith('.') }).toEqual({
        code,
        hasMeaning: true,
        hasAdvice: true,
      });
    }
  });

  it('lists exactly the kinds of Kubernetes failures there are, each with its code', () => {
    const rows = rowsUnder('Failures of the Kubernetes API');
    expect(codesOfKinds().size).toBeGreaterThan(10);
    expect(new Map(rows.map(([kind = '', , code = '']) => [kind, code]))).toEqual(codesOfKinds());
  });
});
