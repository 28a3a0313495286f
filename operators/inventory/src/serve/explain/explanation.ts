import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExplainResponseSchema } from '@quartermaster/api/inventory';
import type { Amount } from '../../model/amount.ts';
import type { Reason } from '../../model/node-inventory.ts';
import { amountMessage, reasonMessage } from '../../publish/amount-message.ts';
import { sellabilities } from '../../publish/node-message.ts';

/** Why something can or cannot be sold, in full. */
export interface Explanation {
  readonly subject: string;
  readonly state: 'sellable' | 'held-back' | 'unknown';
  /** One sentence. */
  readonly summary: string;
  readonly reasons: readonly ExplainedReason[];
  readonly figures: readonly Figure[];
  /** Where it is and how it is there, by node. */
  readonly places: readonly Place[];
}

export interface ExplainedReason {
  /** A node, a device, a class. */
  readonly about: string;
  readonly reason: Reason;
  /** What would change it. */
  readonly wayOut: string;
}

export interface Figure {
  readonly name: string;
  readonly unit: 'millicores' | 'bytes' | 'devices';
  readonly amount: Amount;
}

export interface Place {
  readonly node: string;
  readonly state: Explanation['state'];
  readonly amount: Amount;
  readonly reasons: readonly Reason[];
}

// code of a reason whose message cannot tell what to do -> what would change it, on the node or device that it is about
const waysOut: Readonly<Record<string, (about: string) => string>> = {
  NotReady: (node) =>
    `find out with "kubectl describe node ${node}" why its kubelet reports an error; it is sellable again when it is Ready`,
  Deleting: (node) => `wait until ${node} is gone, or remove what keeps it (finalizers)`,
  Recovering: () => 'wait: it is sellable again when it has stayed healthy for a while',
  Unhealthy: (card) => `look at the driver's log for ${card}, reset the card or replace it`,
  DeviceTainted: () => 'remove the taint from its ResourceSlice or DeviceTaintRule when the card is fit again',
  GpuDivided: () => 'turn MIG or time slicing off to sell whole cards again',
};

/** What would change a reason is its own message, where that names what to do already. */
export function explained(about: string, reason: Reason): ExplainedReason {
  return { about, reason, wayOut: waysOut[reason.code]?.(about) ?? reason.message };
}

export function explanationMessage({ reasons, figures, places, ...rest }: Explanation): MessageInitShape<typeof ExplainResponseSchema> {
  return {
    subject: rest.subject,
    sellability: sellabilities[rest.state],
    summary: rest.summary,
    explanations: reasons.map(({ about, reason, wayOut }) => ({ about, reason: reasonMessage(reason), wayOut })),
    figures: figures.map(({ name, unit, amount }) => ({ name, unit, amount: amountMessage(amount) })),
    places: places.map((place) => ({
      node: place.node,
      sellability: sellabilities[place.state],
      amount: amountMessage(place.amount),
      reasons: place.reasons.map(reasonMessage),
    })),
  };
}
