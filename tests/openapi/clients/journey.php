<?php
// Runs the steps of ../journey.py with a generated PHP client. The client adds the check with the operation
// of the worker, which accepts application/json. The operation of the company needs another media type, with
// which this generator cannot send a list.

require 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $path = str_replace('\\', '/', substr($class, strlen('OpenAPI\\Client\\')));
    $file = $_SERVER['argv'][1] . "/lib/$path.php";
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
use OpenAPI\Client\Model;
use OpenAPI\Client\ObjectSerializer;

const OPENED = '851000000002008';
const PROCESSED = '851000000002005';

/** Reads the lists of a company, and hires a worker of this company. */
function hire(CompanyApi $companies, PayrollApi $payroll, WorkerApi $workers): array
{
    $responses['companies'] = $companies->listCompanies('00010001');
    $company = $responses['companies']->getContent()[0]->getCompanyId();
    $responses['components'] = $payroll->listPayComponents($company);
    $responses['jobs'] = $companies->listCompanyJobs($company);
    $responses['locations'] = $companies->listLocations($company);
    $responses['hired'] = $workers->addWorkers($company, [new Model\WorkerInput([
        'worker_correlation_id' => 'php-1', 'worker_type' => 'EMPLOYEE', 'employment_type' => 'FULL_TIME',
        'hire_date' => '2021-06-07',
        'name' => new Model\WorkerInputName(['family_name' => 'Sample', 'given_name' => 'Ann']),
        'legal_id' => new Model\WorkerInputLegalId(['legal_id_type' => 'SSN', 'legal_id_value' => '900123456']),
        'organization' => new Model\WorkerInputOrganization(['organization_id' => '851000000006003']),
        'location_id' => $responses['locations']->getContent()[0]->getLocationId(),
    ])]);
    $worker = $responses['hired']->getContent()[0]->getWorkerId();
    $responses['worker'] = $workers->getWorker($worker);
    $responses['changed'] = $workers->changeWorker($worker, new Model\WorkerChange(['clock_id' => '4117']));
    return [$company, $worker, $responses];
}

/** Adds the parts of a worker that are needed for pay. */
function setUp(WorkerApi $workers, string $worker): array
{
    $responses['communication'] = $workers->addCommunication($worker, new Model\CommunicationInput([
        'type' => 'PHONE', 'usage_type' => 'BUSINESS', 'dial_area' => '585', 'dial_number' => '5550100',
    ]));
    $responses['rate'] = $workers->addPayRate($worker, new Model\PayRateInput([
        'rate_number' => 'RATE_1', 'rate_type' => 'HOURLY_RATE', 'amount' => '23.505', 'default' => true,
        'start_date' => '2021-06-07',
    ]));
    $responses['federal'] = $workers->setFederalTax($worker, new Model\FederalTaxInput([
        'filing_status' => 'MARRIED_FILING_JOINTLY', 'multiple_jobs' => 'true', 'dependents_amount' => '500.00',
    ]));
    $responses['federalChanged'] = $workers->changeFederalTax($worker, new Model\FederalTaxChange([
        'filing_status' => 'HEAD_OF_HOUSEHOLD', 'extra_withholding_amount' => '10.50',
    ]));
    $state = ['countrySubdivisionCode' => 'OH', 'taxStatusType' => 'WITHHOLD', 'isResidentState' => true];
    $responses['states'] = $workers->changeStateTaxes($worker, [
        new Model\StateTaxPatchInner(['op' => 'add', 'path' => '/workerTaxes/new', 'value' => $state]),
        new Model\StateTaxPatchInner(['op' => 'add', 'path' => '/workerTaxes/new/additionalAmount', 'value' => '5.25']),
    ]);
    $responses['deposit'] = $workers->addDirectDeposit($worker, new Model\DirectDepositInput([
        'payment_type' => 'PERCENTAGE', 'account_type' => 'SAVINGS', 'value' => '10',
        'routing_number' => '122100024', 'account_number' => '5550001234',
    ]));
    $responses['recurring'] = $workers->addRecurringComponent($worker, new Model\RecurringComponentInput([
        'component_id' => '851000000001016', 'calculation_type' => 'FLAT_DOLLAR_AMOUNT', 'value' => '25.00',
    ]));
    return $responses;
}

/** Adds a check and a line of this check, and sends an invalid request. */
function pay(PayrollApi $payroll, string $worker): array
{
    $check = new Model\CheckOfWorkerInput([
        'worker_id' => $worker, 'pay_period_id' => OPENED, 'check_correlation_id' => 'php-1',
        'earnings' => [new Model\CheckLineInput(['component_id' => '851000000001001', 'pay_hours' => '7.25'])],
    ]);
    $bonus = new Model\CheckLineInput(['component_id' => '851000000001004', 'pay_amount' => '75.25']);
    $responses['added'] = $payroll->addChecksOfWorker($worker, [$check]);
    $responses['line'] = $payroll->addCheckLine($responses['added']->getContent()[0]->getPaycheckId(), $bonus);
    try {
        $payroll->addChecksOfWorker($worker, [$check->setWorkerId('nobody')]);
    } catch (ApiException $rejection) {
        $responses['rejected'] = json_decode($rejection->getResponseBody())->errors[0]->code;
    }
    return $responses;
}

/** Changes the status of a worker, and reads all objects back. */
function readBack(PayrollApi $payroll, WorkerApi $workers, string $company, string $worker): array
{
    $responses['statusChanged'] = $workers->changeWorker($worker, new Model\WorkerChange([
        'current_status' => new Model\WorkerChangeCurrentStatus([
            'status_type' => 'INACTIVE', 'status_reason' => 'DISABILITY',
        ]),
    ]));
    $responses['statuses'] = $workers->listStatuses($worker);
    $responses['communications'] = $workers->listCommunicationsOfWorker($worker);
    $responses['rates'] = $workers->listPayRates($worker);
    $responses['federalTax'] = $workers->getFederalTax($worker);
    $responses['stateTaxes'] = $workers->listStateTaxes($worker);
    $responses['deposits'] = $workers->listDirectDeposits($worker);
    $responses['recurringComponents'] = $workers->listRecurringComponents($worker);
    $responses['ownChecks'] = $payroll->listChecksOfWorker($worker, OPENED);
    $responses['open'] = $payroll->listChecks($company, OPENED);
    $responses['processed'] = $payroll->listChecks($company, PROCESSED);
    return $responses;
}

/** Returns the values of some accessors. */
function typed(array $responses): array
{
    $first = fn (string $name) => $responses[$name]->getContent()[0];
    [$hours, $bonus] = $first('line')->getEarnings();
    $done = $first('processed');
    return [
        'familyName' => $first('hired')->getName()->getFamilyName(), 'clockId' => $first('changed')->getClockId(),
        'rate' => $first('rates')->getAmount(), 'default' => $first('rates')->getDefault(),
        'filingStatus' => $first('federalTax')->getFilingStatus(),
        'multipleJobs' => $first('federalTax')->getMultipleJobs(),
        'resident' => $first('stateTaxes')->getIsResidentState(),
        'depositStatus' => $first('deposits')->getStatus(), 'account' => $first('deposits')->getAccountNumber(),
        'recurring' => $first('recurringComponents')->getValue(),
        'status' => $first('statuses')->getStatusType(), 'order' => $first('statuses')->getOrder(),
        'openHours' => $hours->getPayHours(), 'openRate' => $hours->getPayRate(),
        'openAmount' => $bonus->getPayAmount(),
        'netPay' => $done->getNetPay(), 'grossEarnings' => $done->getGrossEarnings(),
        'tax' => $done->getTaxes()[0]->getAmount(),
        'hours' => $done->getEarnings()[0]->getHours(), 'amount' => $done->getEarnings()[0]->getAmount(),
    ];
}

[, , $base, $clientId, $clientSecret] = $argv;
$configuration = (new Configuration())->setHost($base);
$http = new GuzzleHttp\Client();
$token = (new AuthenticationApi($http, $configuration))->createToken($clientId, $clientSecret, 'client_credentials');
$configuration->setAccessToken($token->getAccessToken());
$payroll = new PayrollApi($http, $configuration);
$workers = new WorkerApi($http, $configuration);
[$company, $worker, $responses] = hire(new CompanyApi($http, $configuration), $payroll, $workers);
$responses += setUp($workers, $worker) + pay($payroll, $worker);
exec('python3 ' . escapeshellarg(getenv('ACTIVATE')) . ' ' . escapeshellarg($worker), result_code: $failed);
$failed === 0 or exit('the worker is not active');
$responses += readBack($payroll, $workers, $company, $worker);
$printed = array_map(fn ($answer) => ObjectSerializer::sanitizeForSerialization($answer), $responses);
echo json_encode($printed + ['typed' => typed($responses)]), "\n";
