import { counted } from '../../base/numbers.ts';
import { type Content, type Html, html } from '../pages/html.ts';

type Kind = 'good' | 'bad' | 'warn';

export const pill = (kind: Kind, text: string | number): Html => html`<span class="pill ${kind}">${text}</span>`;

export const dot = (kind: Kind): Html => html`<span class="dot ${kind}" aria-hidden="true"></span>`;

interface HeadFacts {
  /** Said beside the title. */
  more?: Content;
  /** Whether a phone shows the content before someone asks for it. */
  isOpen?: boolean;
}

/** The title of a part. On a phone it opens and closes the part. */
export const head = (id: string, title: Content, { more, isOpen }: HeadFacts = {}): Html =>
  html`<div class="head"><h2 id="${id}-title"><label><input type="checkbox" class="fold"${isOpen && html` checked`}>${title}</label></h2>${more}</div>`;

/** A list that scrolls inside its part, also with the keyboard. */
export const scroller = (name: string, content: Content): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${name}">${content}</div>`;

interface ActionFacts {
  label?: string;
  /** The question to ask first. */
  confirm?: string;
  isPressed?: boolean;
}

/** A button for one admin request. The script of the desk sends it. */
export const action = (
  call: string,
  body: object,
  text: string,
  { label, confirm, isPressed }: ActionFacts = {},
): Html =>
  html`<button type="button" data-call="${call}" data-body="${JSON.stringify(body)}" aria-label="${label ?? text}"${confirm !== undefined && html` class="danger" data-confirm="${confirm}"`}${isPressed !== undefined && html` aria-pressed="${String(isPressed)}"`}>${text}</button>`;

export const copyButton = (text: string, name: string, label: string): Html =>
  html`<button type="button" data-copy="${text}" aria-label="${label}">${name}</button>`;

/** `40 s`, `4 min`, `6 h`, `2 days` */
export const inWords = (milliseconds: number): string => {
  const seconds = Math.round(Math.abs(milliseconds) / 1000);
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return seconds < 129_600 ? `${Math.round(seconds / 3600)} h` : counted(Math.round(seconds / 86_400), 'day');
};

/** Without the protocol, which says little. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '');
