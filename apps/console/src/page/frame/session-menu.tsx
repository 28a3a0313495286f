import { useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { useSession } from '../session/session.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Who looks, always in sight; a click tells more and lets somebody else in. */
export function SessionMenu() {
  const { kind, name, role, tenants, problem } = useSession();
  const [isOpen, setOpen] = useState(false);
  if (kind === 'none') return null;
  const who = kind === 'local' ? 'this installation' : name;
  return (
    <>
      <button type="button" className="session-button" title={`You are ${who}, ${role}`} onClick={() => setOpen(true)}>
        {kind === 'local' ? role : `${name} · ${role}`}
      </button>
      <Dialog title="Account" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Facts
          facts={[
            ['You are', kind === 'local' ? 'not signed in: the console acts as this installation' : name],
            ['Role', role],
            ['Can see', seesWords(tenants)],
            ['Problem', problem],
          ]}
        />
        <h3 className="dialog-heading">{kind === 'token' ? 'Switch account' : 'Sign in'}</h3>
        <SignInForm isSignedIn={kind === 'token'} />
      </Dialog>
    </>
  );
}

function seesWords(tenants: readonly string[]): string {
  if (tenants.includes('*')) return 'everything';
  return tenants.length === 0 ? 'unknown' : `objects of ${tenants.join(', ')}`;
}
