import { toJson } from '@bufbuild/protobuf';
import { ExplainResponseSchema } from '@quartermaster/api/inventory';
import type { Ask } from '../server/resource.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import { paintFor } from '../text/paint.ts';
import { explanationText } from './explanation-text.ts';
import { askInventory } from './inventory-connection.ts';

export interface ExplainFlags extends ServerFlags {
  readonly output: 'text' | 'json' | 'yaml';
  readonly exact: boolean;
}

export const explainThing =
  (kind: 'node' | 'gpu' | 'class'): Ask<ExplainFlags> =>
  async ([name = ''], flags, { out }) => {
    const subject = kind === 'class' ? ({ case: 'storageClass', value: name } as const) : ({ case: kind, value: name } as const);
    const answer = await askInventory(flags, (client) => client.explain({ subject }));
    if (flags.output !== 'text') {
      out.write(formatDocument(toJson(ExplainResponseSchema, answer, { alwaysEmitImplicit: true }), flags.output));
      return;
    }
    out.write(explanationText(answer, { exact: flags.exact, wide: false, now: Date.now(), paint: paintFor(out) }));
  };
