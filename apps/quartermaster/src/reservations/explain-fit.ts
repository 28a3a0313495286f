import { toJson } from '@bufbuild/protobuf';
import { ExplainFitResponseSchema } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { fitText } from './fit-text.ts';
import { refusalSummary } from './refusal-text.ts';
import { type RequestFlags, readRequest } from './request/request-source.ts';
import { askReservations } from './reservation-connection.ts';

export interface ExplainFitFlags extends ServerFlags, RequestFlags {
  readonly owner?: string | undefined;
  readonly maxNames?: number | undefined;
  readonly output: 'text' | 'json' | 'yaml';
  readonly exact: boolean;
}

/** Whether a request would be placed now. That it would not is an error after the explanation was printed. */
export async function explainFit(_args: readonly string[], flags: ExplainFitFlags, { out }: Output): Promise<void> {
  const { request, explained } = readRequest(flags);
  const { owner = '', maxNames: namedNodes = 0, output, exact } = flags;
  const answer = await askReservations(flags, (client) => client.explainFit({ request, owner, namedNodes })).catch((thrown: unknown) => {
    throw explained(thrown);
  });
  out.write(
    output === 'text'
      ? fitText(answer, request, { exact, wide: false, now: Date.now(), paint: paintFor(out) })
      : formatDocument(toJson(ExplainFitResponseSchema, answer, { alwaysEmitImplicit: true }), output),
  );
  if (answer.outcome.case === 'refusal') throw new StatusError('failed_precondition', refusalSummary(answer.outcome.value));
}
