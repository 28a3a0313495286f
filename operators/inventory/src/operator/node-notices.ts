import type { Notice, NoticeType } from '@quartermaster/controller';
import type { NodeInventory } from '../model/node-inventory.ts';

/** What a person should hear when a node becomes another one than it was. */
export function nodeNotices(before: NodeInventory, now: NodeInventory): readonly (Notice & { readonly type: NoticeType })[] {
  return [
    ...sellabilityNotices(before, now),
    ...deviceNotices(before, now),
    ...conditionNotices(before, now),
    ...agentNotices(before, now),
  ];
}

function* sellabilityNotices(before: NodeInventory, now: NodeInventory): Generator<Notice & { readonly type: NoticeType }> {
  const { state, reasons } = now.sellability;
  if (state === before.sellability.state) return;
  const why = reasons.map(({ message }) => message).join(' ');
  if (state === 'sellable') yield { type: 'Normal', reason: 'Sellable', action: 'Account', note: 'New work can be promised here again.' };
  else if (state === 'held-back')
    yield { type: 'Warning', reason: 'HeldBack', action: 'Account', note: `Nothing new is promised here: ${why}` };
  else yield { type: 'Warning', reason: 'Unknown', action: 'Account', note: `The capacity left here is unknown: ${why}` };
}

function* deviceNotices(before: NodeInventory, now: NodeInventory): Generator<Notice & { readonly type: NoticeType }> {
  const states = new Map(before.devices.map(({ id, state }) => [id, state]));
  for (const { id, model, state, reason } of now.devices) {
    const was = states.get(id);
    if (was === undefined || was === state) continue;
    if (state === 'quarantined') {
      yield {
        type: 'Warning',
        reason: 'GpuQuarantined',
        action: 'Account',
        note: `GPU ${id} (${model}) is not sold: ${reason?.message ?? 'it is unhealthy'}`,
      };
    } else if (was === 'quarantined') {
      yield { type: 'Normal', reason: 'GpuReleased', action: 'Account', note: `GPU ${id} (${model}) is sold again.` };
    }
  }
}

function* conditionNotices(before: NodeInventory, now: NodeInventory): Generator<Notice & { readonly type: NoticeType }> {
  const known = new Set(before.conditions.map(({ code, message }) => `${code} ${message}`));
  for (const { code, message } of now.conditions) {
    if (!known.has(`${code} ${message}`)) yield { type: 'Warning', reason: code, action: 'Account', note: message };
  }
}

function* agentNotices(before: NodeInventory, now: NodeInventory): Generator<Notice & { readonly type: NoticeType }> {
  const silence = ({ stale }: NodeInventory) => stale.find(({ source }) => source === 'agent');
  const [was, is] = [silence(before), silence(now)];
  if (was === undefined && is !== undefined) {
    const note = `The discovery agent is silent (${is.reason}): who holds the GPUs and whether they are healthy is unknown. Look at its pod on this node.`;
    yield { type: 'Warning', reason: 'AgentSilent', action: 'Account', note };
  } else if (was !== undefined && is === undefined) {
    yield { type: 'Normal', reason: 'AgentHeard', action: 'Account', note: 'The discovery agent reports again.' };
  }
}
