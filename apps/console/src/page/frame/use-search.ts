import { messageOf } from '@quartermaster/kernel';
import { useEffect, useState } from 'react';
import type { SearchAnswer, SearchHit } from '../../search-hit.ts';
import { searchPath } from '../../stream-message.ts';

export type SearchResult =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'found'; readonly text: string; readonly hits: readonly SearchHit[] }
  | { readonly kind: 'failed'; readonly problem: string };

/** A pause in typing: what is asked in the middle of a word is worth nothing a moment later. */
const typingPauseMs = 80;

/** Asks the server what the text names. An answer that was overtaken by another question is dropped. */
export function useSearch(text: string): SearchResult {
  const [result, setResult] = useState<SearchResult>({ kind: 'waiting' });
  useEffect(() => {
    if (text === '') return;
    const overtaken = new AbortController();
    const timer = setTimeout(() => void ask(text, overtaken.signal).then((answer) => answer && setResult(answer)), typingPauseMs);
    return () => {
      clearTimeout(timer);
      overtaken.abort();
    };
  }, [text]);
  return text === '' ? { kind: 'waiting' } : result;
}

async function ask(text: string, signal: AbortSignal): Promise<SearchResult | undefined> {
  try {
    const answer = await fetch(`${searchPath}?${new URLSearchParams({ q: text })}`, { signal });
    if (!answer.ok) return { kind: 'failed', problem: `Quartermaster answered ${answer.status}` };
    const { hits } = (await answer.json()) as SearchAnswer;
    return { kind: 'found', text, hits };
  } catch (error) {
    return signal.aborted ? undefined : { kind: 'failed', problem: messageOf(error) };
  }
}
