import { describe, expect, it } from 'vitest';
import { AgentContact } from './agent-contact.ts';
import type { ObservedAgent } from './observe-agent.ts';
import { observeAgent } from './observe-agent.ts';

const minute = 60_000;
const now = Date.parse('2026-06-01T12:00:00Z');
const facts = { observedAt: '2026-05-01T00:00:00Z' };
const ready: ObservedAgent = { node: 'n1', address: '', isRunning: true, isReady: true, unreadySince: undefined };
const unready = (since: number): ObservedAgent => ({ ...ready, isReady: false, unreadySince: since });

describe('AgentContact', () => {
  it('hears an agent that is ready, and expects none where there are neither facts nor a pod', () => {
    const contact = new AgentContact();
    expect(contact.look('n1', [ready], facts, now)).toBeUndefined();
    expect(contact.look('n1', [unready(now - 60 * minute), ready], facts, now)).toBeUndefined();
    expect(contact.look('n2', [], undefined, now)).toBeUndefined();
  });

  it('calls an agent silent whose pod has not been ready for two minutes, since then', () => {
    const contact = new AgentContact();
    contact.look('n1', [ready], facts, now);
    const silence = { lastContactAt: now, reason: 'its pod is not ready' };
    expect(contact.look('n1', [unready(now)], facts, now + minute)).toEqual({ ...silence, isBrief: true });
    expect(contact.look('n1', [unready(now)], facts, now + 2 * minute)).toEqual({ ...silence, isBrief: false });
    expect(contact.look('n1', [ready], facts, now + 3 * minute)).toBeUndefined();
  });

  it('is patient with one that is replaced, and keeps the time of the first silence when the next does not become ready either', () => {
    const contact = new AgentContact();
    contact.look('n1', [ready], facts, now);
    expect(contact.look('n1', [], facts, now)).toEqual({ lastContactAt: now, reason: 'no agent runs on the node', isBrief: true });
    expect(contact.look('n1', [unready(now + minute)], facts, now + minute)).toMatchObject({ lastContactAt: now, isBrief: true });
    expect(contact.look('n1', [unready(now + minute)], facts, now + 3 * minute)).toMatchObject({ lastContactAt: now, isBrief: false });
  });

  it('says the same after a restart of the operator as before it', () => {
    const before = new AgentContact();
    before.look('n1', [ready], facts, now - 60 * minute);
    const look = (contact: AgentContact) => contact.look('n1', [unready(now - 30 * minute)], facts, now);
    expect(look(new AgentContact())).toEqual(look(before));
    expect(look(before)).toMatchObject({ lastContactAt: now - 30 * minute, isBrief: false });
  });

  it('knows of an agent that was gone before anybody looked only when its facts were written, and has no patience with it', () => {
    const contact = new AgentContact();
    const lastContactAt = Date.parse(facts.observedAt);
    const silence = { lastContactAt, reason: 'no agent runs on the node', isBrief: false };
    expect(contact.look('n1', [], facts, now)).toEqual({ ...silence, isBrief: true });
    expect(contact.look('n1', [], facts, now, { isStart: true })).toEqual(silence);
    expect(contact.look('n1', [], facts, now + minute)).toEqual(silence);
    expect(contact.look('n1', [ready], facts, now + 2 * minute)).toBeUndefined();
    expect(contact.look('n1', [], facts, now + 3 * minute)).toMatchObject({ isBrief: true });
    expect(contact.look('n2', [unready(now - 3 * minute)], undefined, now)).toMatchObject({ lastContactAt: undefined, isBrief: false });
  });

  it('is patient with one whose pod is about to come, or comes to be known after its facts', () => {
    const contact = new AgentContact();
    const starting = { ...ready, isReady: false };
    expect(contact.look('n1', [starting], facts, now, { isStart: true })).toMatchObject({ isBrief: true });
    expect(contact.look('n2', [], facts, now)).toMatchObject({ isBrief: true });
    expect(contact.look('n2', [], facts, now + 2 * minute)).toMatchObject({ isBrief: false });
  });

  it('does not believe a clock that is ahead', () => {
    const contact = new AgentContact();
    contact.look('n1', [unready(now + 60 * minute)], facts, now);
    expect(contact.look('n1', [unready(now + 60 * minute)], facts, now + 2 * minute)).toMatchObject({ lastContactAt: now, isBrief: false });
  });
});

describe('observeAgent', () => {
  const pod = (status: string, phase = 'Running', metadata = {}) =>
    observeAgent({
      metadata,
      spec: { nodeName: 'n1' },
      status: { phase, podIP: '10.0.0.1', conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-06-01T12:00:00Z' }] },
    });

  it('takes the readiness of a pod for the word of its agent, unless the pod is about to go', () => {
    expect(pod('True')).toEqual({ ...ready, address: '10.0.0.1' });
    expect(pod('False')).toMatchObject({ isReady: false, unreadySince: now });
    expect(pod('True', 'Running', { deletionTimestamp: '2026-06-01T12:00:00Z' })).toMatchObject({
      isReady: false,
      unreadySince: undefined,
    });
    expect(pod('True', 'Failed')).toMatchObject({ isReady: false });
  });
});
