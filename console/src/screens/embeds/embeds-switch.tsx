import { useSignal } from '@preact/signals';
import { messageOf } from '../../api/client.ts';
import { Choices } from '../../parts/field.tsx';
import { toast } from '../../state/toasts.ts';
import { texts } from '../../texts/texts.ts';

interface EmbedsSwitchProps {
  isOn: boolean;
  /** Saves the choice and reads it again. */
  onSwitch(isOn: boolean): Promise<void>;
}

/** Turns the embeds of the project on or off at once; the toast offers a way back. */
export function EmbedsSwitch({ isOn, onSwitch }: EmbedsSwitchProps) {
  /** What was chosen, until it is saved or has failed. */
  const chosen = useSignal<boolean | undefined>(undefined);
  const set = async (next: boolean) => {
    chosen.value = next;
    try {
      await onSwitch(next);
      toast(next ? texts.overview.embedsAreOn : texts.embeds.turnedOff, {
        action: { label: texts.undo, run: () => void set(!next) },
      });
    } catch (error) {
      toast(messageOf(error), { tone: 'bad' });
    } finally {
      chosen.value = undefined;
    }
  };
  return (
    <Choices
      label={texts.embeds.switch}
      type="radio"
      options={[
        { value: 'on', label: texts.embeds.on },
        { value: 'off', label: texts.embeds.off },
      ]}
      chosen={[(chosen.value ?? isOn) ? 'on' : 'off']}
      onChange={([value]) => void set(value === 'on')}
    />
  );
}
