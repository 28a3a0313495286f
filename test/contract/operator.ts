import { type DryRunWrite, DryRunWriter, describeWrite, findCondition } from '@quartermaster/controller';
import { type KubeClient, kinds } from '@quartermaster/kube';
import { sharedKubernetes } from '@quartermaster/runtime';
import { type RunningRole, startRole } from '@quartermaster/runtime/testing';
import { SharedParts } from '@quartermaster/service';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Greeting, greetingType as greetings } from '../example/generated/greeting.ts';
import { entryRef, greetingRole } from '../example/greeting-operator.ts';
import { greetingDefinition, reconcileGreetings } from '../example/reconcile-greetings.ts';
import type { ContractServer } from './contract-server.ts';

const soon = { timeout: 40_000, interval: 50 };
/** The garbage collector looks for new kinds every half minute. */
const eventually = { timeout: 90_000, interval: 200 };

/** The worked example, a whole operator, on any API server. */
export function describeOperator(server: () => ContractServer): void {
  describe('the greeting operator', () => {
    const running: { stop(): Promise<void> }[] = [];

    /** The role as an executable runs it, with an election of its own. */
    async function startOperator(): Promise<RunningRole> {
      const shared = new SharedParts();
      shared.provide(sharedKubernetes, server().client);
      const operator = await startRole(greetingRole, { shared, args: [`--greeting-namespace=${await server().namespace()}`] });
      running.push(operator);
      return operator;
    }

    beforeAll(async () => {
      await server().client.apply(kinds.customResourceDefinitions, await greetingDefinition(), { fieldManager: 'suite' });
      await vi.waitFor(() => server().client.list(greetings, { limit: 1 }), soon);
    });

    afterEach(async () => {
      await Promise.all(running.splice(0).map((operator) => operator.stop()));
    });

    async function greet(
      message: string,
      namespace?: string,
    ): Promise<Required<Pick<Greeting, 'spec'>> & { namespace: string; name: string }> {
      const ref = { namespace: namespace ?? (await server().namespace()), name: 'hello' };
      const { spec } = await server().client.apply(greetings, { metadata: ref, spec: { message } }, { fieldManager: 'suite' });
      return { ...ref, spec };
    }

    const client = (): KubeClient => server().client;
    const read = (ref: { namespace: string; name: string }) => client().find(greetings, ref);
    const readyOf = async (ref: { namespace: string; name: string }) => findCondition((await read(ref))?.status?.conditions ?? [], 'Ready');
    const message = async (ref: { namespace: string; name: string }) =>
      (await client().find(kinds.configMaps, { namespace: ref.namespace, name: `${ref.name}-greeting` }))?.data?.['message'];

    async function untilReady(ref: { namespace: string; name: string }): Promise<void> {
      await vi.waitFor(async () => {
        const generation = (await read(ref))?.metadata?.generation;
        expect(await readyOf(ref)).toMatchObject({ status: 'True', observedGeneration: generation });
      }, soon);
    }

    it('makes what the spec asks for and reports it in the status', async () => {
      await startOperator();
      const ref = await greet('good morning');
      await untilReady(ref);
      expect(await message(ref)).toBe('good morning');
      expect((await read(ref))?.status).toMatchObject({ configMap: 'hello-greeting', observedGeneration: 1 });
      const made = await client().get(kinds.configMaps, { namespace: ref.namespace, name: 'hello-greeting' });
      expect(made.metadata?.ownerReferences).toMatchObject([{ kind: 'Greeting', name: 'hello', controller: true }]);
    });

    it('follows a change of the spec', async () => {
      await startOperator();
      const ref = await greet('good morning');
      await untilReady(ref);
      await greet('good night', ref.namespace);
      await untilReady(ref);
      expect(await message(ref)).toBe('good night');
    });

    it('puts back what somebody deleted or changed', async () => {
      await startOperator();
      const ref = await greet('good morning');
      await untilReady(ref);
      const made = { namespace: ref.namespace, name: 'hello-greeting' };
      await client().delete(kinds.configMaps, made);
      await vi.waitFor(async () => expect(await message(ref)).toBe('good morning'), soon);
      await client().patch(kinds.configMaps, made, { kind: 'merge', body: { data: { message: 'tampered' } } });
      await vi.waitFor(async () => expect(await message(ref)).toBe('good morning'), soon);
    });

    it('says why it refuses a spec, and goes on once it is mended', async () => {
      await startOperator();
      const ref = await greet('this is forbidden');
      await vi.waitFor(async () => {
        expect(await readyOf(ref)).toMatchObject({
          status: 'False',
          reason: 'MessageRefused',
          message: expect.stringContaining('spec.message') as string,
        });
      }, soon);
      expect(await message(ref)).toBeUndefined();
      await greet('this is fine', ref.namespace);
      await untilReady(ref);
      expect(await message(ref)).toBe('this is fine');
    });

    it('tells people by Events, once for each change of state', async () => {
      await startOperator();
      const ref = await greet('this is forbidden');
      await vi.waitFor(async () => expect((await readyOf(ref))?.status).toBe('False'), soon);
      await greet('this is fine', ref.namespace);
      await untilReady(ref);
      await vi.waitFor(async () => {
        const events = (await client().list(kinds.events, { namespace: ref.namespace })).items.filter(
          ({ regarding }) => regarding?.kind === 'Greeting',
        );
        expect(events.map(({ type, reason }) => `${type} ${reason}`).sort()).toEqual(['Normal Greeted', 'Warning MessageRefused']);
      }, soon);
    });

    it('cleans up across namespaces before the object goes, and leaves the rest to garbage collection', { timeout: 120_000 }, async () => {
      await startOperator();
      const ref = await greet('good bye');
      await untilReady(ref);
      const entry = entryRef(`${ref.namespace}/${ref.name}`);
      expect(await client().find(kinds.configMaps, entry)).toBeDefined();
      await client().delete(greetings, ref);
      await vi.waitFor(async () => expect(await read(ref)).toBeUndefined(), soon);
      expect(await client().find(kinds.configMaps, entry)).toBeUndefined();
      await vi.waitFor(async () => expect(await message(ref)).toBeUndefined(), eventually);
    });

    it('cleans up what was deleted while it did not run', async () => {
      const first = await startOperator();
      const ref = await greet('good bye');
      await untilReady(ref);
      await first.stop();
      await client().delete(greetings, ref);
      expect((await read(ref))?.metadata?.deletionTimestamp).toBeDefined();
      await startOperator();
      await vi.waitFor(async () => expect(await read(ref)).toBeUndefined(), soon);
      expect(await client().find(kinds.configMaps, entryRef(`${ref.namespace}/${ref.name}`))).toBeUndefined();
    });

    it('writes nothing when it starts again and nothing has changed', async () => {
      const first = await startOperator();
      const namespace = await server().namespace();
      const refs = Array.from({ length: 10 }, (_, index) => ({ namespace, name: `greeting-${index}` }));
      for (const ref of refs) await client().create(greetings, { metadata: ref, spec: { message: ref.name } });
      for (const ref of refs) await untilReady(ref);
      await first.stop();
      const versions = async (): Promise<(string | undefined)[]> => {
        const lists = await Promise.all([client().list(greetings, { namespace }), client().list(kinds.configMaps, { namespace })]);
        return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata?.resourceVersion));
      };
      const before = await versions();
      await startOperator();
      // A new one is reconciled after all that were there: its turn shows that theirs is over.
      await greet('last', namespace);
      await untilReady({ namespace, name: 'hello' });
      expect(await versions()).toEqual(expect.arrayContaining(before));
    });

    it('keeps going for a hundred objects at once', async () => {
      await startOperator();
      const namespace = await server().namespace();
      const refs = Array.from({ length: 100 }, (_, index) => ({ namespace, name: `greeting-${index}` }));
      await Promise.all(refs.map((ref) => client().create(greetings, { metadata: ref, spec: { message: ref.name } })));
      await vi.waitFor(async () => {
        const { items } = await client().list(greetings, { namespace });
        expect(items.filter(({ status }) => findCondition(status?.conditions ?? [], 'Ready')?.status === 'True')).toHaveLength(100);
      }, soon);
    });

    it('shows in a dry run what it would write, and writes nothing', async () => {
      const writes: DryRunWrite[] = [];
      const ref = await greet('only looking');
      const looking = new AbortController();
      const writer = new DryRunWriter({ server: client(), report: (write) => writes.push(write) });
      const run = reconcileGreetings(client(), writer, looking.signal);
      running.push({
        stop: async () => {
          looking.abort();
          await run;
        },
      });
      await vi.waitFor(
        () => expect(writes.some(({ type, ref: { namespace } }) => type.kind === 'ConfigMap' && namespace === ref.namespace)).toBe(true),
        soon,
      );
      const shown = writes.map(describeWrite).join('\n');
      expect(shown).toContain(`change Greeting ${ref.namespace}/hello\n  + metadata.finalizers`);
      expect(shown).toContain('+ data: {"message":"only looking"}');
      expect((await read(ref))?.metadata?.finalizers).toBeUndefined();
      expect(await message(ref)).toBeUndefined();
    });

    it('has one leader, whose successor goes on, and shows how it is', async () => {
      const first = await startOperator();
      const ref = await greet('led');
      await untilReady(ref);
      const report = async (operator: RunningRole) =>
        (await operator.health.report('ready')).checks.map(({ name, state }) => `${name} ${state}`);
      expect(await report(first)).toEqual(
        expect.arrayContaining([
          'operator-greeting/caches ok',
          'operator-greeting/controller greetings ok',
          'operator-greeting/election ok',
        ]),
      );
      // The status is written before its writer counts it as done.
      await vi.waitFor(async () => {
        const { text } = await first.metrics.scrape();
        expect(text).toContain('quartermaster_leading{role="greeting"} 1');
        expect(text).toMatch(/quartermaster_controller_last_success_timestamp_seconds\{role="greeting",controller="greetings"\} \d/);
      }, soon);
      expect(first.status()?.detail).toMatchObject({ isLeader: true, controllers: [{ name: 'greetings', state: 'running' }] });
      await first.stop();
      await startOperator();
      await greet('led by the next', ref.namespace);
      await untilReady(ref);
      expect(await message(ref)).toBe('led by the next');
    });
  });
}
