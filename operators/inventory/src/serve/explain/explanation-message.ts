import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ExplainResponseSchema } from '@quartermaster/api/inventory';
import { amountMessage, reasonMessage } from '../../publish/amount-message.ts';
import { sellabilityOf } from '../../publish/node-message.ts';
import type { Explanation } from './explanation.ts';

export function explanationMessage({
  subject,
  state,
  summary,
  reasons,
  figures,
  places,
}: Explanation): MessageInitShape<typeof ExplainResponseSchema> {
  return {
    subject,
    sellability: sellabilityOf[state],
    summary,
    explanations: reasons.map(({ about, reason, wayOut }) => ({ about, reason: reasonMessage(reason), wayOut })),
    figures: figures.map(({ name, unit, amount }) => ({ name, unit, amount: amountMessage(amount) })),
    places: places.map((place) => ({
      node: place.node,
      sellability: sellabilityOf[place.state],
      amount: amountMessage(place.amount),
      reasons: place.reasons.map(reasonMessage),
    })),
  };
}
