import { sessionPath } from '../../console-session.ts';
import type { SessionView } from '../../session-view.ts';
import { callApi } from '../api/call-api.ts';
import { ownKey } from '../session/own-key.ts';
import { useChangeSession, useSession } from '../session/session.ts';

interface LinkOfferProps {
  readonly code: string;
  /** Whoever is signed in stays. */
  readonly onKeep: () => void;
}

/** Signs in by the code of a link. */
export async function redeem(code: string, signal?: AbortSignal): Promise<SessionView> {
  const view = await callApi<SessionView>(sessionPath, { method: 'POST', body: { code }, signal });
  ownKey.keep(view.key);
  return view;
}

/** Asks whoever opened a link while signed in. */
export function LinkOffer({ code, onKeep }: LinkOfferProps) {
  const { name, role } = useSession();
  const changeSession = useChangeSession();
  const change = async (): Promise<string> => {
    await redeem(code);
    const { pathname, search } = window.location;
    return pathname + search;
  };
  return (
    <main className="lone-page">
      <h1>Sign in as somebody else?</h1>
      <p>
        You are signed in as {name} ({role}). The link that you opened signs in whoever asked for it. Use it only if that was you.
      </p>
      <div className="form-actions">
        <button type="button" className="main-button" onClick={onKeep}>
          Stay signed in as {name}
        </button>
        <button type="button" className="quiet-button" onClick={() => changeSession(change)}>
          Use the link
        </button>
      </div>
    </main>
  );
}
