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
              throw refusalOf(thrown);
            }
          },
        };
      return {
        ...method,
        async *call(request, context) {
          try {
            yield* method.call(request, context);
          } catch (thrown) {
            throw refusalOf(thrown);
          }
        },
      };
    }),
  };
}
