import { seededRandom } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkNotice, cutNote, eventOf, microTime, referenceTo } from './kube-event.ts';

const notice = { reason: 'Started', action: 'Start', note: 'It runs.' };
const parts = { type: 'Normal' as const, notice, controller: 'example.com/op', instance: 'op-1', wallMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6) };

function event(metadata: { name: string; namespace?: string; uid?: string }) {
  return eventOf({ ...parts, regarding: referenceTo(kinds.pods, { metadata }) }, seededRandom(1));
}

describe('eventOf', () => {
  it('is about the object, in its namespace, and named after it', () => {
    const made = event({ name: 'web', namespace: 'shop', uid: 'u-1' });
    expect(made).toMatchObject({
      metadata: { namespace: 'shop' },
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'u-1' },
      eventTime: '2026-01-02T03:04:05.006000Z',
      type: 'Normal',
      ...notice,
      reportingController: 'example.com/op',
      reportingInstance: 'op-1',
    });
    expect(made.metadata?.name).toMatch(/^web\.[0-9a-f]{16}$/);
    expect(made).not.toHaveProperty('series');
  });

  it('lies in namespace default for a cluster-scoped object', () => {
    const made = event({ name: 'node-1' });
    expect(made.metadata?.namespace).toBe('default');
    expect(made.regarding).not.toHaveProperty('namespace');
  });

  it.each(['system:node', 'Upper', 'x'.repeat(253), `${'x'.repeat(235)}.-tail`])('has a valid name for an object named %s', (name) => {
    const made = event({ name }).metadata?.name ?? '';
    expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    expect(made.length).toBeLessThanOrEqual(253);
  });
});

describe('cutNote', () => {
  it('keeps what fits and otherwise the longest whole characters of it, within 1024 bytes', () => {
    const bytes = (text: string) => new TextEncoder().encode(text).length;
    const notes = fc.array(fc.constantFrom('a', 'é', '語', '😀'), { minLength: 200, maxLength: 1100 }).map((all) => all.join(''));
    fc.assert(
      fc.property(notes, (note) => {
        const cut = cutNote(note);
        if (bytes(note) <= 1024) {
          expect(cut).toBe(note);
          return;
        }
        expect(bytes(cut)).toBeLessThanOrEqual(1024);
        expect(bytes(cut)).toBeGreaterThan(1024 - 4);
        expect(note.startsWith(cut.slice(0, -1))).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});

it('writes times with six digits', () => {
  expect(microTime(0)).toBe('1970-01-01T00:00:00.000000Z');
});

it.each([
  { ...notice, reason: '' },
  { ...notice, reason: 'not camel' },
  { ...notice, action: 'lower' },
  { ...notice, action: 'A'.repeat(129) },
])('refuses the notice %j', (bad) => {
  expect(() => checkNotice(bad)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
});
