// Stop phrases in Portuguese. "Não" needs a pause after it: "não, para" stops, "não para" means "do not stop".
import type { StopLexicon } from './lexicon.ts';

export const portuguese: StopLexicon = {
  language: 'pt',
  lead: `
    (ok|okay|tá|tá bom|tá bem|está bem|está bom|beleza|bom|bem|certo|pronto|blz) / (oi|olá|ei|eita|ó|oh|ah|ai|ui|opa|ops|epa|é|hum|hmm|eh|poxa|putz|nossa) / (não,|não não,|não não não,|nao,|nao nao,|nao nao nao,|nada,|n,) / sim
    / (por favor|pf|pfv|pfvr|por gentileza|faz favor|se faz favor|please) / (espera|espere|espera aí|espera lá|peraí|pera|pera aí|calma|um momento|um segundo|um minuto|olha|olhe|escuta) / (na verdade|aliás|melhor|é melhor|pensando bem|simplesmente|só|apenas|agora|agora mesmo|já|imediatamente|então|enfim|mas|pois)
    / (desculpa|desculpe|foi mal|perdão|obrigado|obrigada|valeu) / (eu |)(disse|falei|já disse|já falei)( para| pra|) / (cara|mano|meu|velho|gente|amigo|droga|merda|caramba|porra|pelo amor de deus|meu deus|bot|robô) / (eu |)mudei de (ideia|idéia|opinião)`,
  stop: `
    cancela / cancele / cancelar / cancelem / (cancela|cancele)-(o|a) / cancela aí / pode cancelar / anula / anule / anular / aborta / aborte / abortar / interrompa / interrompe / encerra / encerre / encerrar / pare / parem / para-o / stop / cancel / suspende / suspenda / nvm / desiste / desista / desistir / detém / detenha`,
  stopWithoutObject: `
    para / pára / parar / pode parar / (para|pára|pare|pode parar) (com|já com|logo com) (isso|isto|tudo|tudo isso|aquilo) / (para|pára) (tudo|isso aí|isto) / (para|pára|pare) de (falar|escrever|fazer isso|fazer isto|responder|digitar) / (para|pára|pare) o que (está|tá|estás) (fazendo|a fazer)
    / chega / já chega / chega (disso|disto|de falar|de conversa) / basta / já basta / deixa / deixe / (deixa|deixe) (isso |isto |tudo |)(pra lá|para lá|de lado|quieto|estar|assim) / (deixa|deixe) (isso|isto) / deixa isso aí / deixa lá( isso|) / esquece / esqueça / esquecer / (esquece|esqueça) (isso|isto|tudo|tudo isso|isso aí|o que eu disse|o que eu falei|o que disse) / (esquece|esqueça)-(o|isso)
    / (é|já é) (o |)suficiente / alto aí / alto lá / pode esquecer / larga isso`,
  alone: `
    não importa / não (precisa|é preciso|é necessário|precisa mais|é mais preciso|é mais necessário|faz falta) / não (preciso|quero) mais / já não (preciso|quero) / já não é preciso / não continue / não continua / não continues / não (faça|faz|faças) isso / melhor não / não se incomode / nada não`,
  withoutLead: 'suficiente',
  object: 'isso / isto / aquilo / tudo / tudo isso / isso tudo / isso aí',
  tail: `
    (por favor|pf|pfv|pfvr|por gentileza|faz favor|se faz favor|please) / já / já já / agora / agora mesmo / neste (momento|instante) / nesse instante / imediatamente / logo / de uma vez / de vez / (obrigado|obrigada|valeu|vlw|brigado) / (desculpa|desculpe|foi mal) / (cara|mano|meu|velho|amigo|gente|pô|poxa|porra|droga|bot|robô) / aí / aqui / lá / por (aqui|aí|enquanto|agora) / então / ok / tá / tá bom / pelo amor de deus / mesmo / eu disse / (eu |)mudei de ideia`,
};
