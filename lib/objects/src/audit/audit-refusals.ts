import { principalOf, type RefusedWrite } from '@quartermaster/auth';
import { codeOf } from '@quartermaster/kernel';
import type { CallContext, ServedService } from '@quartermaster/rpc';

/**
 * The same services, which tell of every call that a handler refused for want of a right: somebody else's source, a tenant that cannot be given, secrets that are
 * not to be opened. What the role alone forbids never gets to a handler; the authenticator tells of it.
 */
export function auditRefusals(services: readonly ServedService[], onRefusedWrite: (refused: RefusedWrite) => void): ServedService[] {
  return services.map(({ descriptor, methods }) => ({
    descriptor,
    methods: methods.map((served) => {
      if (served.kind !== 'unary') return served;
      const call: typeof served.call = async (request, context) => {
        try {
          return await served.call(request, context);
        } catch (thrown) {
          if (codeOf(thrown) === 'permission_denied') onRefusedWrite(refusalOf(context));
          throw thrown;
        }
      };
      return { ...served, call };
    }),
  }));
}

function refusalOf({ identity, method, peer }: CallContext): RefusedWrite {
  return { principal: principalOf(identity), method, peer };
}
