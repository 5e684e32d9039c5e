import type {
  Events,
  Experience,
  ExperienceError,
  ExperienceOptions,
  Message,
  Mode,
  Player,
  PlayerOptions,
} from '@session-launch/browser';
import { forwardRef, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useOpenExperience } from './use-experience.ts';

export type ExperiencePlayerProps = ExperienceOptions &
  PlayerOptions & {
    autoStart?: boolean;
    className?: string;
    onModeChange?(mode: Mode): void;
    onMessage?(message: Message): void;
    onError?(error: ExperienceError): void;
    onEnded?(ended: Events['ended']): void;
  };

const playerFields = [
  'startButton',
  'closeButton',
  'returnUrl',
  'fit',
  'captions',
  'textInput',
  'poster',
  'texts',
] as const;
/** Merged below the current player options, so that removing a prop resets its option. */
const withoutChrome = Object.fromEntries(playerFields.map((name) => [name, undefined]));
const handlers = ['onClose', 'onStateUpdate', 'onModeChange', 'onMessage', 'onError', 'onEnded'] as const;
const ownFields: readonly string[] = [...playerFields, ...handlers, 'autoStart', 'className'];

function split(props: ExperiencePlayerProps): { options: ExperienceOptions; chrome: PlayerOptions } {
  const options: Record<string, unknown> = {};
  const chrome: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined) continue;
    if ((playerFields as readonly string[]).includes(name)) chrome[name] = value;
    else if (!ownFields.includes(name)) options[name] = value;
  }
  return { options: options as unknown as ExperienceOptions, chrome };
}

/** The player as a component. During server-side rendering it is a `div` that contains the poster. */
export const ExperiencePlayer = forwardRef<Experience, ExperiencePlayerProps>(
  function ExperiencePlayer(props, ref) {
    const { options, chrome } = split(props);
    const { experience } = useOpenExperience(options);
    const host = useRef<HTMLDivElement>(null);
    const player = useRef<Player>(undefined);
    const latest = useRef(props);
    const [isAttached, setAttached] = useState(false);
    useImperativeHandle(ref, () => experience, [experience]);
    useEffect(() => {
      latest.current = props;
    });
    // biome-ignore lint/correctness/useExhaustiveDependencies: the effect below applies changes of the player options
    useEffect(() => {
      if (host.current === null) return;
      const made = experience.attach(host.current, {
        ...chrome,
        onClose: (event) => latest.current.onClose?.(event),
        onStateUpdate: (state) => latest.current.onStateUpdate?.(state),
      });
      player.current = made;
      setAttached(true);
      const offs = [
        experience.on('modeChange', (mode) => latest.current.onModeChange?.(mode)),
        experience.on('message', (message) => latest.current.onMessage?.(message)),
        experience.on('error', (error) => latest.current.onError?.(error as ExperienceError)),
        experience.on('ended', (ended) => latest.current.onEnded?.(ended)),
      ];
      if (latest.current.autoStart) experience.start().catch(() => {});
      return () => {
        for (const off of offs) off();
        made.detach();
      };
    }, [experience]);
    const looks = JSON.stringify(chrome);
    useEffect(() => player.current?.update({ ...withoutChrome, ...JSON.parse(looks) }), [looks]);
    return (
      <div ref={host} className={props.className}>
        {props.poster !== undefined && !isAttached ? <img src={props.poster} alt="" /> : null}
      </div>
    );
  },
);
