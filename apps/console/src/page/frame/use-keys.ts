import { useEffect, useRef } from 'react';
import { type KeyCommand, noKeys, readKey } from '../model/key-sequence.ts';

/** Reads the keys that work everywhere. Keys that a control took for itself do not count. */
export function useKeys(pages: ReadonlyMap<string, string>, obey: (command: KeyCommand) => void): void {
  const state = useRef(noKeys);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || moveIntoTable(event)) return;
      const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
      const pressed = { key: event.key, at: event.timeStamp, isTyping: isTextField(event.target), hasModifier };
      const result = readKey(state.current, pressed, pages);
      state.current = result.state;
      if (result.command === undefined) return;
      if (result.command.kind !== 'close') event.preventDefault();
      obey(result.command);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [pages, obey]);
}

/** Arrows go into the table that a page is about, without a way there by Tab. */
function moveIntoTable(event: KeyboardEvent): boolean {
  const isHere = event.target === document.body || (event.target instanceof HTMLElement && event.target.id === 'content');
  if (!isHere || !['ArrowDown', 'ArrowUp'].includes(event.key)) return false;
  const grid = document.querySelector<HTMLElement>('.full-height [role="grid"]');
  if (grid === null) return false;
  event.preventDefault();
  grid.focus();
  grid.dispatchEvent(new KeyboardEvent('keydown', { key: event.key, bubbles: true, cancelable: true }));
  return true;
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));
}
