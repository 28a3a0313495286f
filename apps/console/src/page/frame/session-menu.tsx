import { useState } from 'react';
import { sessionPath } from '../../console-session.ts';
import { callApi } from '../api/call-api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/facts.tsx';
import { ownKey } from '../session/own-key.ts';
import { useChangeSession, useSession } from '../session/session.ts';
import { SignInForm } from './sign-in-form.tsx';

/** Who looks, always in sight; a click tells more and lets somebody else in. */
export function SessionMenu() {
  const { name, role, tenants, signIn } = useSession();
  const changeSession = useChangeSession();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="session-button" title={`You are ${name}, ${role}`} onClick={() => setOpen(true)}>
        {name} · {role}
      </button>
      <Dialog title="Account" isOpen={isOpen} onClose={() => setOpen(false)}>
        <Facts
          facts={[
            ['You are', name],
            ['Role', role],
            ['Can see', seesWords(tenants)],
          ]}
        />
        <div className="form-actions">
          <button type="button" className="quiet-button" onClick={() => changeSession(signOut)}>
            Sign out
          </button>
        </div>
        {signIn.includes('token') && (
          <>
            <h3 className="dialog-heading">Switch account</h3>
            <SignInForm />
          </>
        )}
      </Dialog>
    </>
  );
}

/** Resolves with where the issuer ends its own session, or with the page to sign in at. */
async function signOut(): Promise<string> {
  const { location } = await callApi<{ readonly location?: string }>(sessionPath, { method: 'DELETE' });
  ownKey.keep(undefined);
  return location ?? '/';
}

function seesWords(tenants: readonly string[]): string {
  if (tenants.includes('*')) return 'everything';
  return tenants.length === 0 ? 'unknown' : `objects of ${tenants.join(', ')}`;
}
