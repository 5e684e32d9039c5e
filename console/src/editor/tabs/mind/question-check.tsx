import { useSignal } from '@preact/signals';
import type { Mind } from '@session-launch/contract/project-file/mind';
import type { SessionMode } from '@session-launch/contract/session';
import { useEffect, useId } from 'preact/hooks';
import { Button } from '../../../parts/button.tsx';
import { Select, TextField } from '../../../parts/field.tsx';
import { mindTexts } from '../../../texts/editor/mind.ts';
import { languageName } from '../../document/language-name.ts';
import type { Draft } from '../../saving/draft.ts';
import { languagesOf } from './mind-languages.ts';
import { type Conversation, questionCheck, type Reached } from './question.ts';

const texts = mindTexts.check;
/** Milliseconds after the last change until the question is checked: preparing a long script would delay the typing. */
const pauseMs = 300;

interface QuestionCheckProps {
  draft: Draft;
  onShow(topicId: string): void;
}

/** The topic that a question would reach, found by the matcher of the runtime. */
export function QuestionCheck({ draft, onShow }: QuestionCheckProps) {
  const id = useId();
  const question = useSignal('');
  const chosen = useSignal<string | undefined>(undefined);
  const { all } = languagesOf(draft);
  const language = all.value.find((one) => one === chosen.value) ?? all.value[0]!;
  return (
    <div class="question-check">
      <div class="question-fields">
        <TextField
          label={texts.heading}
          help={texts.used}
          type="search"
          placeholder={texts.placeholder}
          value={question.value}
          onInput={(text) => {
            question.value = text;
          }}
        />
        {all.value.length > 1 ? (
          <Select
            label={texts.language}
            value={language}
            options={all.value.map((tag) => ({ value: tag, label: languageName(tag) }))}
            onChange={(tag) => {
              chosen.value = tag;
            }}
          />
        ) : null}
      </div>
      <div id={id} role="status">
        {question.value.trim() === '' ? null : (
          <Result draft={draft} question={question.value} language={language} onShow={onShow} />
        )}
      </div>
    </div>
  );
}

/** Rendered only if there is a question: it renders again with each change of the document. */
function Result({
  draft,
  question,
  language,
  onShow,
}: QuestionCheckProps & { question: string; language: string }) {
  const reached = useSignal<Reached | undefined>(undefined);
  const document = draft.document.value;
  useEffect(() => {
    const timer = setTimeout(() => {
      reached.value = questionCheck(conversationOf(draft, language))(question);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [document, question, language]);
  const result = reached.value;
  if (result === undefined) return null;
  return (
    <p class="row">
      <span>{sentenceOf(result)}</span>
      {result.kind === 'topic' ? <Button onPress={() => onShow(result.topic.id)}>{texts.show}</Button> : null}
    </p>
  );
}

function conversationOf(draft: Draft, locale: string): Conversation {
  const { runtime } = draft.document.peek();
  const isDual = runtime.languages?.dual === true;
  return {
    mind: (runtime.mind ?? {}) as Mind,
    mode: (runtime.mode ?? 'conversation') as SessionMode,
    locale,
    secondaryLocale: isDual ? languagesOf(draft).learnt.peek()[0] : undefined,
    characters: runtime.characters,
  };
}

function sentenceOf(reached: Reached): string {
  switch (reached.kind) {
    case 'topic':
    case 'step':
      return texts.topic(reached.topic.ask);
    case 'phrase':
      return texts.phrases[reached.intent];
    case 'command':
      return texts.commands[reached.command];
    case 'name':
      return texts.name(reached.name);
    case 'attempt':
      return texts.attempts[reached.attempt];
    case 'fallback':
      return texts.fallback;
  }
}
