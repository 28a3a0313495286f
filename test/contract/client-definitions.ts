import { readdirSync, readFileSync } from 'node:fs';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { celThatHolds } from './cel-functions.ts';
import { type CustomResourceDefinition, install, uniqueGroup, type Widget, widgetDefinition, widgetType } from './client-custom-kind.ts';
import { failureFrom, patience } from './client-fixtures.ts';
import type { ContractServer } from './contract-server.ts';

const folder = new URL('vectors/crds/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

/** Definitions as other projects bring them, and what their rules may call. */
export function describeDefinitions(server: () => ContractServer): void {
  describe('a definition', () => {
    it.each(files)('of another project is served: %s', async (file) => {
      const definition = parse(readFileSync(new URL(file, folder), 'utf8')) as CustomResourceDefinition;
      const name = definition.metadata?.name ?? '';
      const { client } = server();
      onTestFinished(() => client.delete(kinds.customResourceDefinitions, { name }));
      await client.create(kinds.customResourceDefinitions, definition, { fieldValidation: 'Strict' });
      await vi.waitFor(async () => {
        const { status } = await client.get(kinds.customResourceDefinitions, { name });
        expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
      }, patience);
    });

    const rules = celThatHolds.map((expression, index) => ({
      rule: expression,
      message: `rule ${index} does not hold`,
    }));

    it('may call every function that Kubernetes adds to CEL', async () => {
      const refused = await failureFrom(create(rules.map(({ rule, message }) => ({ rule: `!(${rule})`, message }))));
      expect(
        refused.kind === 'invalid' ? refused.causes.map(({ message }) => /rule \d+ does not hold/.exec(message)?.[0]) : refused,
      ).toEqual(rules.map(({ message }) => message));
      expect((await create(rules)).spec?.list).toEqual([{ name: 'a' }]);
    });

    async function create(
      validations: readonly { readonly rule: string; readonly message?: string }[],
    ): Promise<Widget & { readonly spec?: { readonly list?: unknown } }> {
      const group = uniqueGroup();
      const item = { type: 'object', properties: { name: { type: 'string' }, other: { type: 'string' } } };
      const spec = {
        type: 'object',
        properties: { list: { type: 'array', maxItems: 2, items: item } },
        'x-kubernetes-validations': validations,
      };
      const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
      await install(server(), widgetDefinition(group, [{ name: 'v1', served: true, storage: true, schema }]));
      const namespace = await server().namespace();
      return await server().client.create<object>(widgetType(group), {
        metadata: { namespace, name: 'one' },
        spec: { list: [{ name: 'a' }] },
      });
    }
  });
}
