import { type KubeWriter, kinds } from '@quartermaster/kube';
import type { Secret } from '@quartermaster/kube/shapes';
import { describe, expect, it } from 'vitest';
import type { DesiredObject } from '../objects/desired.ts';
import { announcedSecrets, applySecrets, isSecretsDone, removeSecrets, secretPlan } from './lease-secrets.ts';

const { signal } = new AbortController();
const secret = (name: string, value: string): DesiredObject<Secret> => ({
  type: kinds.secrets,
  object: { metadata: { namespace: 'lease-a', name }, type: 'Opaque', data: { PASSWORD: Buffer.from(value).toString('base64') } },
});

/** Remembers what it was told to write. */
function recording() {
  const writes: string[] = [];
  const writer = {
    apply: async (_type: unknown, object: { readonly metadata?: { readonly name?: string } }) => {
      writes.push(`apply ${object.metadata?.name}`);
      return { ...object, metadata: { ...object.metadata, uid: `uid-${object.metadata?.name}` } };
    },
    delete: async (_type: unknown, ref: { readonly name: string }, options: { readonly preconditions?: { readonly uid?: string } }) => {
      writes.push(`delete ${ref.name} ${options.preconditions?.uid}`);
    },
  } as unknown as KubeWriter;
  return { writes, writer };
}

async function applied(desired: readonly DesiredObject[], recorded = ''): Promise<string> {
  return await applySecrets(recording(), secretPlan(desired, recorded, 'salt', { again: false }), 'salt', signal);
}

describe('the Secrets of a lease', () => {
  it('are applied once, and not read to see whether they were', async () => {
    const desired = [secret('web-env', 'geheim')];
    const recorded = await applied(desired);
    expect(recorded).not.toContain('geheim');
    expect(isSecretsDone(secretPlan(desired, recorded, 'salt', { again: false }))).toBe(true);
  });

  it('are applied anew when a value changes, when one may be gone, and when the record was changed', async () => {
    const recorded = await applied([secret('web-env', 'geheim'), secret('db-env', 'x')]);
    const names = (plan: ReturnType<typeof secretPlan>) => plan.apply.map(({ object }) => object.metadata?.name);
    const changed = [secret('web-env', 'anders'), secret('db-env', 'x')];
    expect(names(secretPlan(changed, recorded, 'salt', { again: false }))).toEqual(['web-env']);
    expect(names(secretPlan(changed, recorded, 'salt', { again: true }))).toEqual(['web-env', 'db-env']);
  });

  it.each(['no json', 'null', '{"web-env":1}', '{"pull-secret":""}', `${'0'.repeat(64)} {"pull-secret":""}`])(
    'are applied anew, and no other is deleted, where somebody made the record %s',
    async (recorded) => {
      const { apply, remove } = secretPlan([secret('web-env', 'x')], recorded, 'salt', { again: false });
      expect([apply.map(({ object }) => object.metadata?.name), [...remove]]).toEqual([['web-env'], []]);
    },
  );

  it('are those of one lease: the record of another counts nothing', async () => {
    const recorded = await applied([secret('web-env', 'x')]);
    expect([...secretPlan([], recorded, 'pepper', { again: false }).remove]).toEqual([]);
  });

  it('are deleted by the uid that was recorded when the lease has them no more', async () => {
    const recorded = await applied([secret('web-env', 'geheim'), secret('db-env', 'x')]);
    const plan = secretPlan([secret('web-env', 'geheim')], recorded, 'salt', { again: false });
    const { writer, writes } = recording();
    await removeSecrets({ writer }, 'lease-a', plan, signal);
    expect(writes).toEqual(['delete db-env uid-db-env']);
    expect(await applySecrets({ writer }, plan, 'salt', signal)).not.toContain('db-env');
  });

  it('are recorded by name before they are made, so that one whose hash never was is deleted as well', async () => {
    const before = await applied([secret('web-env', 'geheim')]);
    const plan = secretPlan([secret('web-env', 'geheim'), secret('db-env', 'x')], before, 'salt', { again: false });
    const announced = announcedSecrets(before, plan, 'salt');
    // What came after them was refused, and the next manifest does not have it.
    const next = secretPlan([secret('web-env', 'geheim')], announced, 'salt', { again: false });
    expect([...next.kept.keys(), next.apply]).toEqual(['web-env', []]);
    const { writer, writes } = recording();
    await removeSecrets({ writer }, 'lease-a', next, signal);
    expect(writes).toEqual(['delete db-env undefined']);
    expect(announcedSecrets(announced, plan, 'salt')).toBe(announced);
  });

  it('have hashes that tell nothing without the salt of the lease', async () => {
    const desired = [secret('web-env', 'geheim')];
    const other = await applySecrets(recording(), secretPlan(desired, '', 'pepper', { again: false }), 'pepper', signal);
    expect(other).not.toBe(await applied(desired));
  });

  it('are written as they are to be, without a look at what is there, which nobody may read', async () => {
    const options: object[] = [];
    const { writer } = recording();
    const noting = {
      ...writer,
      apply: async (_type: unknown, object: object, given: object) => {
        options.push(given);
        return object;
      },
    } as unknown as KubeWriter;
    const plan = secretPlan([secret('web-env', 'geheim')], '', 'salt', { again: false });
    await applySecrets({ writer: noting }, plan, 'salt', signal);
    expect(options).toMatchObject([{ force: true, decidedOn: 'absent' }]);
  });
});
