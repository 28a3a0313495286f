import { StatusError } from '@quartermaster/kernel';
import { failureOf } from '@quartermaster/kube';
import type { ServedService } from '@quartermaster/rpc';
import { refusalOf } from '../serve/http-answer.ts';

/** The same service, whose callers are told nothing of bugs, and nothing of what the cluster says. */
export function hideCluster({ descriptor, methods }: ServedService): ServedService {
  return {
    descriptor,
    methods: methods.map((method) => {
      if (method.kind === 'unary')
        return {
          ...method,
          async call(request, context) {
            try {
              return await method.call(request, context);
            } catch (thrown) {
              throw toldOf(thrown);
            }
          },
        };
      return {
        ...method,
        async *call(request, context) {
          try {
            yield* method.call(request, context);
          } catch (thrown) {
            throw toldOf(thrown);
          }
        },
      };
    }),
  };
}

function toldOf(thrown: unknown): StatusError {
  if (failureOf(thrown) === undefined) return refusalOf(thrown);
  const message = 'the provider’s cluster cannot do it at the moment: try again, or ask the provider';
  return new StatusError('unavailable', message, { cause: thrown });
}
