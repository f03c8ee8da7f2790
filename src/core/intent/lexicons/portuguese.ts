// Stop phrases in Portuguese. "Não" needs a pause after it: "não, para" stops, "não para" means "do not stop".
import type { StopLexicon } from './lexicon.ts';

export const portuguese: StopLexicon = {
  language: 'pt',
  lead: `
    (ok|okay|tá|tá bom|tá bem|está bem|está bom|beleza|bom|bem|certo|pronto|blz) / (oi|olá|ei|eita|ó|oh|ah|ai|ui|opa|ops|epa|é|hum|hmm|eh|poxa|putz|nossa) / (não,|não não,|não não não,|nao,|nao nao,|nao nao nao,|nada,|n,) / sim
    / (por favor|pf|pfv|pfvr|por gentileza|faz favor|se faz favor|please) / (espera|espere|espera aí|espera lá|peraí|pera|pera aí|calma|um momento|um segundo|um minuto|olha|olhe|escuta) / (na verdade|aliás|melhor|é melhor|pensando bem|simplesmente|só|apenas|agora|agora mesmo|já|imediatamente|então|enfim|mas|pois)
    / (desculpa|desculpe|foi mal|perdão|obrigado|obrigada|valeu) / (eu |)(disse|falei|já disse|já falei)( para| pra|) / (cara|mano|meu|velho|gente|amigo|droga|merda|caramba|porra|pelo amor de deus|meu deus|bot|robô) / (eu |)mudei de (ideia|idéia|opinião)
    / (você |tu |)(pode|podes|poderia|podia|consegue|consegues|quer)( por favor| só| já| agora| logo| me|) / (dá|da) (pra|para)( você|) / (quero|preciso|gostaria) que( você| tu|) / vamos / (eu |)(disse|falei|já disse|já falei|te disse|mandei)( para| pra| que| já|) / (ok|pfv|pff|pls|plz|mds|aff|vei|véi|kkk|kkkk|rs|lol|tlg|mn|bro|moço|galera|nao,|nah) / mudei de (plano|planos|idéia) / (errado|tá errado|assim não), / quer saber,`,
  stop: `
    cancela / cancele / cancelar / cancelem / (cancela|cancele)-(o|a) / cancela aí / pode cancelar / anula / anule / anular / aborta / aborte / abortar / interrompa / interrompe / encerra / encerre / encerrar / pare / parem / para-o / stop / cancel / suspende / suspenda / nvm / desiste / desista / desistir / detém / detenha
    / cancela isso / pares / você pare / canceles / você cancele / cessa / cesse / (mata|termina|encerra|acaba com|finaliza|corta|aborta) (isso|isto|tudo|tudo isso) / acaba / termine / finalize / cancelem / pare / pará-lo / (mate|termine|encerre)-(o|a) / detenha-se / anular`,
  stopWithoutObject: `
    para / pára / parar / pode parar / (para|pára|pare|pode parar) (com|já com|logo com) (isso|isto|tudo|tudo isso|aquilo) / (para|pára) (tudo|isso aí|isto) / (para|pára|pare) de (falar|escrever|fazer isso|fazer isto|responder|digitar) / (para|pára|pare) o que (está|tá|estás) (fazendo|a fazer)
    / chega / já chega / chega (disso|disto|de falar|de conversa) / basta / já basta / deixa / deixe / (deixa|deixe) (isso |isto |tudo |)(pra lá|para lá|de lado|quieto|estar|assim) / (deixa|deixe) (isso|isto) / deixa isso aí / deixa lá( isso|) / esquece / esqueça / esquecer / (esquece|esqueça) (isso|isto|tudo|tudo isso|isso aí|o que eu disse|o que eu falei|o que disse) / (esquece|esqueça)-(o|isso)
    / (é|já é) (o |)suficiente / alto aí / alto lá / pode esquecer / larga isso
    / (cala|cale|calem) (a boca|essa boca|o bico) / (cala|cale)-(te|se) / calado / calada / (fica|fique) (quieto|quieta|calado|em silêncio) / quieto / quieta / silêncio / silencio / shh / psiu / xiu / faz silêncio
    / (deixa|deixe|deixem) (isso |isto |)(aí|quieto|pra depois|em paz|como está|assim mesmo|disso|pra la|p lá) / deixar (isso|pra lá|para lá|assim) / deixa disso / larga( isso| mão| disso|) / (para|pára|pare) (com isso|aí|já|logo|agora|tudo|tudo isso|por aqui|por aí) / parar (com isso|por aqui|agora|tudo|já|por favor) / (para|pare) de (buscar|procurar|trabalhar|pensar|gerar|rodar|ler) / (já |)(deu|chega|basta)( já| por hoje| disso|) / (tá|está) bom já / já tá bom / já está bom / é o bastante / (isso é|já é) (tudo|o bastante|suficiente) / por (hoje é só|aqui chega) / acabou / terminamos / é só isso / ficamos por aqui / sossega / desencana`,
  alone: `
    não importa / não (precisa|é preciso|é necessário|precisa mais|é mais preciso|é mais necessário|faz falta) / não (preciso|quero) mais / já não (preciso|quero) / já não é preciso / não continue / não continua / não continues / não (faça|faz|faças) isso / melhor não / não se incomode / nada não
    / não (continue|continua|continues|prossiga|prossegue|prossigas|siga|sigas|avance|vá em frente|faça (isso|nada|isto)|faz (isso|nada|isto)|faças (isso|isto)) / não (precisa|preciso|é necessário|quero)( mais| disso| não|) / tanto faz / não tem importância / não (faz mal|tem problema|interessa|se preocupe)( mais|) / nada, (deixa|esquece) / não é nada / não obrigado / não obrigada / deixa, não precisa`,
  withoutLead: 'suficiente',
  object: 'isso / isto / aquilo / tudo / tudo isso / isso tudo / isso aí',
  tail: `
    (por favor|pf|pfv|pfvr|por gentileza|faz favor|se faz favor|please) / já / já já / agora / agora mesmo / neste (momento|instante) / nesse instante / imediatamente / logo / de uma vez / de vez / (obrigado|obrigada|valeu|vlw|brigado) / (desculpa|desculpe|foi mal) / (cara|mano|meu|velho|amigo|gente|pô|poxa|porra|droga|bot|robô) / aí / aqui / lá / por (aqui|aí|enquanto|agora) / então / ok / tá / tá bom / pelo amor de deus / mesmo / eu disse / (eu |)mudei de ideia
    / (mano|cara|vei|véi|mds|aff|pls|plz|kkk|kkkk|rs|lol|xd|pfvr|bro|moço|caramba|caralho|pow|poxa vida) / com isso / logo / assim / por hoje / não / sim / tudo / errado / arquivo errado / eu faço / deixa comigo / a sério / sério / de falar / vai / po / pô`,
};
