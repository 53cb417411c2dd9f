<?php
// Runs the steps of ../journey.py with a generated PHP client. It adds the check with the worker's operation,
// which accepts application/json. The generator cannot write a list with another media type.

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = $_SERVER['argv'][4] . '/lib/' . str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\'))) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\') && is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\Api\AuthenticationApi;
use OpenAPI\Client\Api\CompanyApi;
use OpenAPI\Client\Api\PayrollApi;
use OpenAPI\Client\Api\WorkerApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\CheckOfWorkerInput;
use OpenAPI\Client\Model\CheckLineInput;
use OpenAPI\Client\ObjectSerializer;

const OPENED = '851000000002008';
const PROCESSED = '851000000002005';

[, $base, $clientId, $clientSecret] = $argv;
$configuration = (new Configuration())->setHost($base);
$http = new GuzzleHttp\Client();
$token = (new AuthenticationApi($http, $configuration))->createToken($clientId, $clientSecret, 'client_credentials');
$configuration->setAccessToken($token->getAccessToken());
$payroll = new PayrollApi($http, $configuration);
$company = (new CompanyApi($http, $configuration))->listCompanies('00010001')->getContent()[0]->getCompanyId();
$worker = (new WorkerApi($http, $configuration))->listWorkers($company)->getContent()[0]->getWorkerId();

$check = new CheckOfWorkerInput([
    'worker_id' => $worker, 'pay_period_id' => OPENED, 'check_correlation_id' => 'php-1',
    'earnings' => [
        new CheckLineInput(['component_id' => '851000000001001', 'pay_hours' => '7.25']),
        new CheckLineInput(['component_id' => '851000000001004', 'pay_amount' => '75.25']),
    ],
]);
$added = $payroll->addChecksOfWorker($worker, [$check]);
$opened = $payroll->listChecks($company, OPENED);
$processed = $payroll->listChecks($company, PROCESSED);
$refused = null;
try {
    $payroll->addChecksOfWorker($worker, [$check->setWorkerId('nobody')]);
} catch (ApiException $refusal) {
    $refused = json_decode($refusal->getResponseBody())->errors[0]->code;
}
$last = $opened->getContent()[count($opened->getContent()) - 1];
$first = $processed->getContent()[0];
$said = fn ($answer) => ObjectSerializer::sanitizeForSerialization($answer);
echo json_encode([
    'added' => $said($added), 'open' => $said($opened), 'processed' => $said($processed), 'refused' => $refused,
    'typed' => [
        'openHours' => $last->getEarnings()[0]->getPayHours(), 'openRate' => $last->getEarnings()[0]->getPayRate(),
        'openAmount' => $last->getEarnings()[1]->getPayAmount(),
        'netPay' => $first->getNetPay(), 'grossEarnings' => $first->getGrossEarnings(),
        'tax' => $first->getTaxes()[0]->getAmount(),
        'hours' => $first->getEarnings()[0]->getHours(), 'amount' => $first->getEarnings()[0]->getAmount(),
    ],
]), "\n";
