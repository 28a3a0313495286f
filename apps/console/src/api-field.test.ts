import { describe, expect, it } from 'vitest';
import { fieldsOf, type SchemaDocument } from './api-field.ts';

const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const message = (properties: Readonly<Record<string, object>>) => ({ type: 'object', properties, additionalProperties: false });
const document = {
  components: {
    schemas: {
      'private.v1.Host': message({
        spec: to('Spec'),
        id: { type: 'string' },
        status: to('Status'),
        labels: { type: 'object', additionalProperties: {} },
      }),
      Spec: message({
        rack: { type: 'string', description: 'Where it stands.' },
        bmc: to('Bmc'),
        blob: { type: 'string', contentEncoding: 'base64' },
        speed: { type: 'string', format: 'int64' },
      }),
      Bmc: message({ url: { type: 'string' }, password: { type: 'string' }, password_ref: to('Reference') }),
      Reference: message({ file: { type: 'string' } }),
      Status: message({
        state: { ...to('State'), description: 'How it is.' },
        conditions: { type: 'array', items: to('Condition') },
        seen: { type: 'string', format: 'date-time' },
        again: to('Status'),
      }),
      State: { type: 'string', enum: ['UP', 'DOWN'], description: 'Of all.' },
      Condition: message({}),
    },
  },
} satisfies SchemaDocument;

describe('the fields that a filter can ask for', () => {
  const fields = fieldsOf(document, 'private.v1.Host');
  const field = (path: string) => fields.find((each) => each.path === path);

  it('are those of the API’s own description, with their types and words', () => {
    expect(fields[0]).toEqual({ path: 'id', type: 'text' });
    expect(field('spec.rack')).toEqual({ path: 'spec.rack', type: 'text', description: 'Where it stands.' });
    expect(field('status.state')).toEqual({ path: 'status.state', type: 'enum', values: ['UP', 'DOWN'], description: 'How it is.' });
    expect(['spec.speed', 'status.seen', 'status.conditions', 'labels'].map((path) => field(path)?.type)).toEqual([
      'number',
      'time',
      'messages',
      'map',
    ]);
  });

  it('hold no secret, no bytes and no message without end', () => {
    expect(fields.filter(({ path }) => /password|blob/.test(path))).toEqual([]);
    expect(field('spec.bmc.url')?.type).toBe('text');
    expect(Math.max(...fields.map(({ path }) => path.split('.').length))).toBeLessThanOrEqual(4);
  });

  it('are none of a message that there is not', () => {
    expect(fieldsOf(document, 'private.v1.Nothing')).toEqual([]);
  });
});
