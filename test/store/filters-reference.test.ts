import { readFileSync } from 'node:fs';
import { create } from '@bufbuild/protobuf';
import { ClusterSchema, EventSchema, HostSchema } from '@quartermaster/api/private';
import { codeOf } from '@quartermaster/kernel';
import { compileFilter, SqlParameters } from '@quartermaster/store/filter';
import { describe, expect, it } from 'vitest';

const page = readFileSync(new URL('../../docs/reference/filters.md', import.meta.url), 'utf8');
const examples = (/```\n([\s\S]*?)```/.exec(page)?.[1] ?? '').trim().split('\n');

/** The kinds whose objects an example can be asked of. */
function kindsOf(text: string): readonly string[] {
  return [
    { variable: 'this', message: HostSchema },
    { variable: 'this', message: ClusterSchema },
    { variable: 'event', message: EventSchema },
  ]
    .filter((root) => {
      try {
        const filter = compileFilter(text, { roots: [root] });
        filter.matches({ [root.variable]: create(root.message) }, new Date(0));
        filter.toSql({ json: 'data', column: () => undefined }, new SqlParameters());
        return true;
      } catch (thrown) {
        expect(codeOf(thrown)).toBe('invalid_argument');
        return false;
      }
    })
    .map(({ message }) => message.name);
}

describe('the reference of filters', () => {
  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(5);
  });

  it.each(examples)('shows a filter that the API takes: %s', (text) => {
    expect(kindsOf(text)).not.toEqual([]);
  });
});
